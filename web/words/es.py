"""Spanish: the names are those of the Spanish rulebook."""

from referee.rules.pieces import BUILDINGS, CITIZENS
from web.words import Words

_NAMES = {
    "sugar": "caña de azúcar",
    "citrus": "cítricos",
    "tobacco": "tabaco",
    "rum": "ron",
    "cigars": "puros",
    "wood": "madera",
    "pedro": "Pedro",
    "maria": "María",
    "jose": "José",
    "martinez": "Martínez",
    "conchita": "Conchita",
    "el-zorro": "El Zorro",
    "miguel": "Miguel",
    "pablo": "Pablo",
    "alonso": "Alonso",
    "bank": "Banco",
    "church": "Iglesia",
    "distillery": "Destilería",
    "cigar-factory": "Fábrica de tabacos",
    "black-market": "Mercado negro",
    "sawmill": "Aserradero",
    "cafe": "Café",
    "customs": "Aduana",
    "casino": "Casino",
    "harbour-office": "Oficina portuaria",
    "trading-office": "Oficina",
    "newspaper": "Periódico",
    "harbour": "el puerto",
    "yellow": "amarilla",
    "blue": "azul",
    "red": "roja",
    "white": "blanca",
    "timeout": "fuera de tiempo",
    "illegal-index": "índice ilegal",
    "wrong-decision": "decisión errónea",
    "closed": "conexión cerrada",
    "protocol": "protocolo",
    "absent": "no se presentó",
    "limit": "límite superado",
    "banned": "vetado por el operador",
}

_AMOUNTS = {
    "sugar": ("{count} caña de azúcar", "{count} cañas de azúcar"),
    "citrus": ("{count} cítrico", "{count} cítricos"),
    "tobacco": ("{count} tabaco", "{count} tabacos"),
    "rum": ("{count} ron", "{count} de ron"),
    "cigars": ("{count} puro", "{count} puros"),
    "wood": ("{count} madera", "{count} maderas"),
    "pesos": ("{count} peso", "{count} pesos"),
    "vp": ("{count} PV", "{count} PV"),
    "stops": ("{count} parada", "{count} paradas"),
}

_GIFTS = {
    "pedro": "el comerciante de tabaco: 2 tabacos",
    "maria": "la bailarina: 2 PV",
    "jose": "el agricultor: 2 cañas de azúcar",
    "martinez": "el músico: 3 pesos",
    "conchita": "la frutera: 2 cítricos",
    "el-zorro": "el carterista: cada rival da 1 peso, 1 mercancía (excepto madera) o 1 PV",
    "miguel": "el leñador: 2 maderas",
    "pablo": "el contrabandista: 1 mercancía a elegir (excepto madera)",
    "alonso": "el abogado: apropiarse de un edificio libre o usar uno propio",
    "bank": "2 pesos",
    "church": "1 PV",
    "distillery": "caña de azúcar por ron, la cantidad que quieras",
    "cigar-factory": "tabaco por puros, la cantidad que quieras",
    "black-market": "1 mercancía por 1 de otro tipo (excepto madera)",
    "sawmill": "1 madera por 1 PV y 1 peso",
    "cafe": "1 ron y/o 1 puro, a 2 PV cada uno",
    "customs": "poner a 0 un dado del barco",
    "casino": "3 pesos por 1 PV o 1 PV por 3 pesos, las veces que quieras",
    "harbour-office": "el contador de valor, una bandera a derecha o izquierda",
    "trading-office": "entregar 1 mercancía que demande el barco por 2 PV",
    "newspaper": (
        "1 peso, y se puede dejar inactivo a un ciudadano: no da nada hasta que pase el coche"
    ),
}

_PHRASES = {  # "[rolls|roll]": of others, and of the reader
    "you": "Tú",
    "you.act": "Tú",
    "you.object": "ti",
    "list": "{most} y {last}",
    "sentence": "{clause}.",
    "gaining": "{clause} y [obtiene|obtienes] {gains}",
    "start": "{names} [se sientan|os sentáis] a jugar.",
    "roll": "{name} [lanza|lanzas] los dados: {dice}",
    "gap": "Interrupción: faltan aquí algunas jugadas, pero la partida sigue",
    "bare": "{name}: {move}",
    "drive": "{name} [conduce|conduces] {stops} hasta {place}",
    "drive.paid": "{name} [conduce|conduces] {stops} hasta {place} ({cost})",
    "drive.past": "{name} [conduce|conduces] {stops} por el puerto hasta {place} ({cost})",
    "drive.silenced": "{clause}, cuya pieza está inactiva",
    "drive.sold_out": "{clause}, pero la reserva está agotada",
    "pick": "{name} [obtiene|obtienes] {goods} de Pablo",
    "own": "{name} [se apropia|te apropias] {building:of}",
    "use": "{name} [usa {building:own}|usas {building:the}] por medio de Alonso",
    "lawyer.pass": "{name} [no pide|no pides] nada a Alonso",
    "give": "{name} [da|das] {thing} a {other}",
    "give.you": "{name} te da {thing}",
    "thief.visit": "{name} [obtiene|obtienes] {gains} en {building:the}",
    "visit": "{name} [va|vas] {building:to}",
    "visit.unused": "{clause}, pero no [puede|puedes] usar su acción",
    "convert": "{name} [cambia|cambias] {given} por {gained} en {building:the}",
    "swap": "{name} [cambia|cambias] {given} por {gained} en {building:the}",
    "sell": "{name} [entrega|entregas] {given} en {building:the}",
    "clear": "{name} [pone|pones] a 0 el dado de {good} en {building:the}",
    "casino": "{name} [cambia|cambias] {given} por {gained} en {building:the}",
    "raise": "{name} [sube|subes] el valor en {building:the}",
    "lower": "{name} [baja|bajas] el valor en {building:the}",
    "ship": "{name} [entrega|entregas] {given} al barco desde {building:the}",
    "silence": "{name} [deja|dejas] {citizen:idle} con {building:the}",
    "function.pass": "{name} [no usa|no usas] {building:the}",
    "deliver": "{name} [carga|cargas] {given}",
    "deliver.wood": "{name} [carga|cargas] {given} en lugar de {good}",
    "deliver.pass": "{name} [pasa|pasas]",
    "deliver.nothing": "{name} [no tiene|no tienes] nada que cargar",
    "demand": "{name} [deja|dejas] {good:the} en tierra; el barco demanda {demand}",
    "demand.none": "nada",
    "value.up": "Cada mercancía vale ahora {value}",
    "value.down": "Cada mercancía vale ahora solo {value}",
    "ship.new": "El barco zarpa y llega el número {ship}",
    "ship.last": "Zarpa el último barco",
    "wakes": "{citizen:awake}",
    "rent": "{name} [obtiene {gains} por ser suyo|obtienes {gains} por ser tuyo] el edificio",
    "fault": "{name} [comete|cometes] una falta ({code}): {fault}",
    "absent": "{name} no se presentó: un suplente juega en su lugar.",
    "why.late": "No llegó ninguna elección en {limit} s.",
    "why.lost": "No llegó ninguna elección en {limit} s: no había conexión con el bot.",
    "why.unproven": (
        "No llegó ninguna elección en {limit} s: el bot no demostró que conoce el secreto que el "
        "operador comparte con él. ¿Se inició con SANTIAGO_SECRET?"
    ),
    "why.challenge": (
        "No llegó ninguna elección en {limit} s: el desafío del bot tiene {given} bytes; deben "
        "ser de 16 a 32."
    ),
    "why.secret": (
        "No llegó ninguna elección en {limit} s: la prueba del bot es incorrecta, tiene otro "
        "secreto."
    ),
    "why.index": "El bot eligió el índice {index}; hay {count} jugadas legales, desde 0.",
    "why.decision": "El bot respondió a la decisión {given}, pero se preguntaba la {asked}.",
    "why.again": (
        "El bot respondió por segunda vez a la decisión {given}, pero se preguntaba la {asked}."
    ),
    "why.empty": "El bot envió un mensaje vacío en lugar de {due}.",
    "why.bytes": "El bot envió bytes que no son un PlayResponse.",
    "why.nonce": "El nonce tiene {given} bytes; se permiten {most} como máximo.",
    "why.closed": "El bot cerró el flujo antes de que terminara la partida.",
    "why.closed.status": "El bot cerró el flujo antes de que terminara la partida ({status}).",
    "why.long": "El bot envió demasiado ({status}).",
    "why.http2": "El bot envió bytes que no son HTTP/2 ({status}).",
    "why.message": "El bot envió {given} en lugar de {due}.",
    "why.failed": "El bot falló: {status}",
    "why.exit": "El programa del bot terminó con el código de salida {exit}.",
    "why.memory": "Usó más de sus {most} MB de memoria.",
    "why.threads": "Inició más de sus {most} hilos.",
    "why.files": "Llenó sus {most} MB de archivos.",
    "why.stopped": "Calculó durante más de {most} s mientras estaba detenido.",
    "why.banned": "El operador ha vetado los archivos de este bot.",
    "why.left": "El jugador dejó la mesa.",
    "why.busy": "El bot no tuvo tiempo para esta partida.",
    "why.accept": "no aceptó la partida en {limit} s.",
    "why.connection": "no había conexión con {address} ({status}).",
    "why.silent": "ningún bot se describe en {address} ({status}): {hint}",
    "why.version": "dice que es la versión {given}, y se espera la versión {due}.",
    "why.accept.unproven": (
        "no demostró que conoce el secreto que el operador comparte con él. ¿Se inició con "
        "SANTIAGO_SECRET?"
    ),
    "why.accept.challenge": "su desafío tiene {given} bytes; deben ser de 16 a 32.",
    "why.accept.secret": "su prueba es incorrecta, tiene otro secreto.",
    "why.start": ("El bot no se inició: terminó con el código de salida {exit} antes de escuchar."),
    "why.start.silent": (
        "El bot no escuchó en SANTIAGO_ADDRESS dentro de su tiempo de inicio de {limit} s."
    ),
    "why.hint.gateway": "¿se ha unido a la pasarela?",
    "why.hint.plain": "¿está en marcha allí?",
    "why.hint.certificate": "¿está en marcha allí, con TLS y un certificado válido para su host?",
    "why.hint.tls": "¿está en marcha allí, con TLS? ({setting}=1 conecta sin TLS).",
    "why.start.served": (
        "El bot no se inició: terminó con el código de salida {exit} antes de escuchar. "
        "Tiene que esperar partidas: en Python y JavaScript, llama a `serve` al final; un "
        "programa que escribe jugadas necesita `lines:` delante de su comando, o el entorno "
        "`lines` en su paquete."
    ),
    "why.start.file": (
        "El bot no se inició: {program} no se puede ejecutar: no existe tal archivo, o aquí "
        "falta lo que debe ejecutarlo. El punto de entrada de un programa del paquete es su "
        "ruta, como ./bot."
    ),
    "why.start.mode": (
        "El bot no se inició: {program} no se puede ejecutar: le falta el permiso de "
        "ejecución; `chmod +x` lo da."
    ),
    "why.start.over": "El bot no se inició: {over}",
    "why.cut.long": "La partida duró más de lo que permiten sus relojes.",
    "why.cut.gateway": (
        "La pasarela no respondió, así que no se pudo preguntar a un bot que está detrás de ella."
    ),
    "why.cut.lag": "El árbitro se retrasó {lag} s mientras un bot tenía {limit} s.",
    "why.cut.refused": "La pasarela rechazó a este worker: {status}",
    "why.cut.line": "Se cortó la conexión con el host ({status}).",
    "why.build.exit": "El paso de compilación terminó con el código de salida {exit}.",
    "why.build.late": "Tardó más de {limit} segundos.",
    "why.build.cancelled": "Se canceló.",
    "why.build.folder": "No dejó ninguna carpeta de la que hacer un bundle.",
    "why.build.runtime": "Este host no tiene el entorno {runtime}, solo {names}.",
    "why.build.changed": "La compilación cambió el entorno a {runtime}.",
    "why.build.unpacked": "El bundle no se puede descomprimir: {error}",
    "why.build.processor": (
        "El punto de entrada {entry} es un programa para otro procesador: compílalo para "
        "Linux en {machine}."
    ),
    "why.build.foreign": (
        "El punto de entrada {entry} es un programa para {system}: compílalo para Linux en "
        "{machine}."
    ),
    "why.build.entry": (
        "El punto de entrada {entry} no es propio del entorno {runtime}: {patterns}."
    ),
    "why.build.deep": "{path}: más de {count} carpetas una dentro de otra.",
    "why.build.name": "{path}: su nombre tiene caracteres que no se pueden mostrar.",
    "why.build.bytes": "El bundle tiene más de {count} bytes.",
    "why.build.files": "El bundle tiene más de {count} archivos.",
    "why.build.read": "El bundle no se puede leer: {error}.",
    "why.build.packed": "El bundle, comprimido, ocupa más de {count} bytes.",
    "also": "Además:",
    "why.package.toml": "No es TOML en UTF-8: {error}.",
    "why.package.lacks": "Falta: {names}.",
    "why.package.unknown.one": "{names} no se conoce aquí.",
    "why.package.unknown": "{names} no se conocen aquí.",
    "why.package.text": '{field} no es un texto: ponlo entre comillas, como {field} = "1.0".',
    "why.package.name": "{field} es {value}: usa hasta 40 letras, cifras y, entre ellas, ._+-",
    "why.package.runtime": (
        "{field} es {value}: usa hasta 40 letras minúsculas, cifras y, tras ellas, ._-"
    ),
    "why.package.language": "{field} es {value}: usa hasta 30 letras, cifras y, tras ellas, .#+-",
    "why.package.empty": "{field} está vacío.",
    "why.package.line": "{field} no es una línea de texto.",
    "why.package.long": "{field} tiene más de {count} caracteres.",
    "why.package.quote": "{field} es {value}: unas comillas no se cierran.",
    "why.package.part": "{field} tiene un nombre de más de {count} bytes: ningún archivo lo tiene.",
    "why.package.list": "{field} no es ni un texto ni una lista de textos.",
    "why.package.size": "Tiene {size} bytes; se permiten {count}.",
    "why.package.kind": "No es ni un .zip ni un .tar.gz.",
    "why.package.manifest": "No tiene {file} en su raíz: `santiago bot new` crea uno para empezar.",
    "why.package.bytes": "Tiene más de {count} bytes.",
    "why.package.cut": "El archivo comprimido está cortado, o hay más datos tras su final.",
    "why.package.cut.off": "El archivo comprimido está cortado.",
    "why.package.cut.entry": "El archivo comprimido termina en medio de una entrada.",
    "why.package.gzip": "El archivo comprimido está dañado: gzip no puede leerlo.",
    "why.package.damaged": "Está dañado.",
    "why.package.encrypted": "Está cifrado.",
    "why.package.method": "Está comprimido con otro método que deflate.",
    "why.package.zip64": "Tiene la forma zip64, que es para más de 4 GB.",
    "why.package.link": (
        "Es un enlace; solo se permiten archivos y carpetas: empaqueta aquello a lo que apunta, "
        "como hace `santiago bot pack`."
    ),
    "why.package.files": "Hay más de {count} archivos.",
    "why.package.folders": "Hay más de {count} carpetas.",
    "why.package.unpacked": "Descomprimidos, los archivos ocupan más de {count} bytes.",
    "why.package.named.utf8": "Su nombre no está en UTF-8.",
    "why.package.named.print": "Su nombre tiene un carácter que no se puede mostrar.",
    "why.package.named.backslash": "Su nombre tiene una barra invertida: pon / entre las carpetas.",
    "why.package.named.absolute": "Su nombre es una ruta absoluta.",
    "why.package.named.out": "Su nombre lleva fuera del archivo comprimido.",
    "why.package.named.empty": (
        "Su nombre tiene una parte vacía, o un espacio antes o después de una parte."
    ),
    "why.package.named.deep": "Está a más de {count} carpetas de profundidad.",
    "why.package.named.long": "Su nombre tiene más de {count} bytes, o una parte más de {size}.",
    "why.package.inside": "Está en {file}, que es un archivo.",
    "why.package.twice": "Está dos veces en el archivo comprimido.",
    "why.package.clash": "Choca con {other}: algunas máquinas ven el mismo nombre en ambos.",
    "why.check.request": "{one} Se le había pedido una decisión de tipo {kind} (número {id}).",
    "why.check.end": "Al final de la partida: {one}",
    "why.check.before": "La partida se interrumpió antes: {one}",
    "why.check.blocked": "Arregla primero {name}.",
    "why.check.nobody": (
        "Nadie escucha ahí. Arranca el bot, espera a que diga que está esperando partidas e "
        "inténtalo de nuevo. {one}"
    ),
    "why.check.nonce": "Su nonce tiene {given} bytes; se permiten como máximo {most}.",
    "why.check.again": "Respondió por segunda vez a la decisión {given}.",
    "why.check.decision": "Respondió a la decisión {given}, pero se preguntaba la {asked}.",
    "why.check.index": "Eligió el índice {index}; hay {count} jugadas legales, desde 0.",
    "why.check.bytes": "Envió bytes que no son un PlayResponse.",
    "why.check.empty": "Envió un mensaje vacío en lugar de {due}.",
    "why.check.message": "Envió {given} en lugar de {due}.",
    "why.check.accept": "No respondió a GameStart con Accept en {limit} s.",
    "why.check.close": "No cerró el stream en los {limit} s tras el último mensaje.",
    "why.check.last": "Respondió al último mensaje, que no pide respuesta.",
    "why.check.unasked": "Envió un mensaje aunque no se le preguntó nada.",
    "why.check.read": "No leyó durante {limit} s lo que se le envió.",
    "why.check.proof": (
        "No se le dejó entrar: {one} «The shared secret», en la página {page} de este sitio, "
        "explica cómo lo demuestra."
    ),
    "why.check.ended": "Terminó el stream antes del final de la partida.",
    "why.check.error": "Terminó el stream con un error ({status}).",
    "why.check.long": "Envió un mensaje demasiado largo ({status}).",
    "why.check.http2": "Envió bytes que no son HTTP/2 ({status}).",
    "why.check.line": "Se cortó la conexión ({status}).",
    "why.check.line.at": "Se cortó la conexión ({status}). En {address}: {hint}",
    "why.check.version": (
        "Dice que es la versión {given}; se presentó la versión {due}. Preséntalo como versión "
        "{given}, o arranca el que dice {due}."
    ),
    "choices.one": "{asked}: una opción",
    "choices.other": "{asked}: {count} opciones",
    "ask.drive": "Hasta dónde conducir",
    "ask.pick": "Qué obtener de Pablo",
    "ask.lawyer": "Qué pedir a Alonso",
    "ask.tribute": "Qué dar a El Zorro",
    "ask.visit": "Adónde mover el peón",
    "ask.function": "Qué hacer en {building:the}",
    "ask.deliver": "Qué cargar",
    "ask.demand": "Qué mercancía dejar en tierra",
    "about.aim": "Gana quien tenga más puntos de victoria (PV) cuando zarpe el séptimo barco.",
    "about.drive": (
        "La primera parada es gratis y cada parada más cuesta 1 peso. Un ciudadano da lo que "
        "muestra su pieza; en el puerto puedes cargar el barco."
    ),
    "about.lawyer": (
        "Cada vez que el peón de otro jugador termine un turno en un edificio tuyo, recibes 1 PV."
    ),
    "about.visit": "El peón va a un edificio con la flor del ciudadano, y puedes usarlo.",
    "about.deliver": (
        "Cada mercancía da {value}; cada madera, {wood}. Todos cargan por turnos; quien pasa "
        "queda fuera de esta ronda."
    ),
    "about.demand": "El barco querrá las otras cuatro mercancías, tantas como muestren sus dados.",
    "may.drive": "conducir {stops} hasta {place}",
    "may.drive.paid": "conducir {stops} hasta {place} ({cost})",
    "may.take": "obtener {goods}",
    "may.own": "apropiarse {building:of}",
    "may.use": "usar {building:the}",
    "may.give": "dar {thing}",
    "may.visit": "ir {building:to}",
    "may.convert": "cambiar {given} por {gained}",
    "may.swap": "cambiar {given} por {gained}",
    "may.sell": "entregar {given}",
    "may.clear": "poner a 0 el dado de {good}",
    "may.casino.buy": "comprar {vp}",
    "may.casino.sell": "vender {vp}",
    "may.raise": "subir el valor",
    "may.lower": "bajar el valor",
    "may.ship": "entregar {given}",
    "may.silence": "dejar {citizen:idle}",
    "may.deliver": "cargar {given}",
    "may.deliver.wood": "cargar {given} en lugar de {good}",
    "may.exclude": "dejar {good:the} en tierra",
    "may.pass.lawyer": "no pedir nada",
    "may.pass.function": "no usar la acción",
    "may.pass.deliver": "pasar",
    "end": "{names} [gana|ganas] con {vp}",
    "end.shared": "{names} [comparten|compartís] la victoria con {vp}",
    "end.goods": "Cada 3 mercancías sobrantes dan 1 PV",
    "end.tie.goods": "Las mercancías sobrantes deshacen el empate frente a {others}",
    "end.tie.pesos": "Los pesos deshacen el empate frente a {others}",
    "end.faulted": "Quien comete una falta queda último, tenga los PV que tenga",
    "end.forfeit": "Final anticipado: nadie más queda sin falta; victoria para {names}",
    "end.turns": "La partida termina tras su último turno",
    "turning.small": "Un pequeño error [de {name}|tuyo]; mejor: {better}",
    "turning.clear": "Un error claro [de {name}|tuyo]; mejor: {better}",
    "turning.big": "Un gran error [de {name}|tuyo]; mejor: {better}",
    "turning.find": "{name} [encuentra|encuentras] una jugada fuerte y difícil de ver",
    "turning.only": "{name} [encuentra|encuentras] la única jugada buena",
    "turning.roll": "Los dados cambian el rumbo de la partida",
    "turning.fault": "{name} [queda|quedas] fuera de la partida",
    "turning.move": "Esta jugada [de {name}|tuya] cambia el rumbo de la partida",
    "turning.end": "El final decide la partida",
    "turning.rises": (
        "[La probabilidad de ganar de {name}|Tu probabilidad de ganar] sube del {before} al {after}"
    ),
    "turning.falls": (
        "[La probabilidad de ganar de {name}|Tu probabilidad de ganar] baja del {before} al {after}"
    ),
}

_LABELS = {
    "colon": ": ",
    "value": "Valor por mercancía",
    "ships": "Siete barcos",
    "supply": "Reserva",
    "demand": "Demanda",
    "car": "Coche",
    "harbour": "el puerto",
    "pawns": "Peones",
    "owner": "Propiedad de",
    "owners": "Propiedades",
    "silenced": "Inactivos",
    "turn": "Turno",
    "ship": "Barco",
    "rank": "Puesto",
    "fault": "falta",
    "absent": "no se presentó",
    "setup": "Preparación",
    "pesos": "pesos",
    "markers": "fichas de propiedad",
    "vp": "PV",
    "race": "PV durante la partida",
    "forced": "la única jugada",
    "caretaker": "jugada por el suplente",
    "no_choice": "En este momento no hay nada que decidir.",
    "longest": "máximo",
    "cpu": "tiempo de CPU",
    "inner_bars": "barras finas: tiempo de CPU",
    "dice.promise": "La semilla es la que se prometió antes de la partida",
    "dice.rolls": "Tiradas que resultan de la semilla",
    "dice.draws": "Jugadas del suplente que resultan de la semilla",
    "dice.commitment": "Compromiso",
    "dice.seed": "Semilla",
    "dice.attempt": "Intento",
    "dice.nonce": "Nonce",
    "dice.roll": "Tirada",
    "dice.draw": "Suplente",
}

_FEMININE = {"church", "distillery", "cigar-factory", "customs", "harbour-office", "trading-office"}


def _building(thing: str) -> dict[str, str]:
    """Return a building's forms: with the article, alone and contracted with prepositions."""
    noun = _NAMES[thing].lower()
    the = f"la {noun}" if thing in _FEMININE else f"el {noun}"
    of, to = (f"de {the}", f"a {the}") if thing in _FEMININE else (f"del {noun}", f"al {noun}")
    return {f"{thing}.the": the, f"{thing}.of": of, f"{thing}.to": to, f"{thing}.own": f"su {noun}"}


def _citizen(thing: str) -> dict[str, str]:
    """Return the forms for a citizen who is silenced or wakes."""
    name, end = _NAMES[thing], "a" if thing in {"maria", "conchita"} else "o"
    return {
        f"{thing}.idle": f"inactiv{end} a {name}",
        f"{thing}.awake": f"{name} vuelve a estar activ{end}",
    }


_FORMS = {
    "sugar.the": "la caña de azúcar",
    "citrus.the": "los cítricos",
    "tobacco.the": "el tabaco",
    "rum.the": "el ron",
    "cigars.the": "los puros",
    **{key: form for thing in CITIZENS for key, form in _citizen(thing).items()},
    **{key: form for thing in BUILDINGS for key, form in _building(thing).items()},
}

WORDS = Words(
    language="es",
    names=_NAMES,
    amounts=_AMOUNTS,
    gifts=_GIFTS,
    phrases=_PHRASES,
    labels=_LABELS,
    forms=_FORMS,
)

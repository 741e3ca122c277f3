"""Italian: the names are those of the Italian rulebook."""

from referee.rules.pieces import BUILDINGS, CITIZENS
from web.words import Words

_NAMES = {
    "sugar": "canna da zucchero",
    "citrus": "agrumi",
    "tobacco": "tabacco",
    "rum": "rum",
    "cigars": "sigari",
    "wood": "legno",
    "pedro": "Pedro",
    "maria": "Maria",
    "jose": "José",
    "martinez": "Martinez",
    "conchita": "Conchita",
    "el-zorro": "El Zorro",
    "miguel": "Miguel",
    "pablo": "Pablo",
    "alonso": "Alonso",
    "bank": "Banca",
    "church": "Chiesa",
    "distillery": "Distilleria",
    "cigar-factory": "Fabbrica di sigari",
    "black-market": "Mercato nero",
    "sawmill": "Segheria",
    "cafe": "Caffè",
    "customs": "Ufficio doganale",
    "casino": "Casinò",
    "harbour-office": "Capitaneria di porto",
    "trading-office": "Ufficio",
    "newspaper": "Giornale",
    "harbour": "il porto",
    "yellow": "giallo",
    "blue": "blu",
    "red": "rosso",
    "white": "bianco",
    "timeout": "tempo scaduto",
    "illegal-index": "indice non valido",
    "wrong-decision": "decisione sbagliata",
    "closed": "connessione chiusa",
    "protocol": "protocollo",
    "absent": "non si è presentato",
    "limit": "limite superato",
    "banned": "vietato dal gestore",
}

_AMOUNTS = {
    "sugar": ("{count} canna da zucchero", "{count} canne da zucchero"),
    "citrus": ("{count} agrume", "{count} agrumi"),
    "tobacco": ("{count} tabacco", "{count} tabacchi"),
    "rum": ("{count} rum", "{count} rum"),
    "cigars": ("{count} sigaro", "{count} sigari"),
    "wood": ("{count} legno", "{count} legni"),
    "pesos": ("{count} peso", "{count} pesos"),
    "vp": ("{count} PV", "{count} PV"),
    "stops": ("{count} fermata", "{count} fermate"),
}

_GIFTS = {
    "pedro": "il commerciante di tabacco: 2 tabacchi",
    "maria": "la ballerina: 2 PV",
    "jose": "l’agricoltore: 2 canne da zucchero",
    "martinez": "il musicista: 3 pesos",
    "conchita": "la commerciante: 2 agrumi",
    "el-zorro": "il borseggiatore: ogni altro giocatore dà 1 peso, 1 merce (non legno) o 1 PV",
    "miguel": "il boscaiolo: 2 legni",
    "pablo": "il ricettatore: 1 merce a scelta (non legno)",
    "alonso": "l’avvocato: prendi un edificio libero o usane uno tuo",
    "bank": "2 pesos",
    "church": "1 PV",
    "distillery": "canna da zucchero in rum, quanta ne vuoi",
    "cigar-factory": "tabacco in sigari, quanto ne vuoi",
    "black-market": "1 merce per 1 di altro tipo (non legno)",
    "sawmill": "1 legno per 1 PV e 1 peso",
    "cafe": "1 rum e/o 1 sigaro, 2 PV ciascuno",
    "customs": "un dado della nave va a 0",
    "casino": "3 pesos per 1 PV o 1 PV per 3 pesos, quante volte vuoi",
    "harbour-office": "il valore della nave avanti o indietro di una bandiera",
    "trading-office": "consegna 1 merce richiesta dalla nave per 2 PV",
    "newspaper": (
        "1 peso, e un abitante può diventare inattivo: non dà nulla finché l’auto non è passata"
    ),
}

_PHRASES = {  # "[rolls|roll]": of others, and of the reader
    "you": "Tu",
    "you.act": "Tu",
    "you.object": "te",
    "list": "{most} e {last}",
    "sentence": "{clause}.",
    "gaining": "{clause} e [riceve|ricevi] {gains}",
    "start": "{names} [si siedono|vi sedete] al tavolo.",
    "roll": "{name} [lancia|lanci] i dadi: {dice}",
    "gap": "Interruzione: qui mancano alcune mosse, ma la partita continua",
    "bare": "{name}: {move}",
    "drive": "{name} [avanza|avanzi] di {stops} fino {place:to}",
    "drive.paid": "{name} [avanza|avanzi] di {stops} fino {place:to} ({cost})",
    "drive.past": "{name} [avanza|avanzi] di {stops} oltre il porto fino {place:to} ({cost})",
    "drive.silenced": "{clause}, ma la tessera è inattiva",
    "drive.sold_out": "{clause}, ma la riserva è vuota",
    "pick": "{name} [riceve|ricevi] {goods} da Pablo",
    "own": "{name} [prende|prendi] possesso {building:of}",
    "use": "{name} [usa {building:own}|usi {building:the}] tramite Alonso",
    "lawyer.pass": "{name} [non chiede|non chiedi] nulla ad Alonso",
    "give": "{name} [dà|dai] {thing} a {other}",
    "give.you": "{name} ti dà {thing}",
    "thief.visit": "{name} [riceve|ricevi] {gains} {building:to}",
    "visit": "{name} [va|vai] {building:to}",
    "visit.unused": "{clause}, ma non [può|puoi] usarne l’azione",
    "convert": "{name} [scambia|scambi] {given} con {gained} {building:to}",
    "swap": "{name} [scambia|scambi] {given} con {gained} {building:to}",
    "sell": "{name} [dà|dai] {given} {building:to}",
    "clear": "{name} [mette|metti] a 0 il dado {good:of} {building:to}",
    "casino": "{name} [cambia|cambi] {given} in {gained} {building:to}",
    "raise": "{name} [alza|alzi] il valore {building:to}",
    "lower": "{name} [abbassa|abbassi] il valore {building:to}",
    "ship": "{name} [spedisce|spedisci] {given} {building:from}",
    "silence": "{name} [rende|rendi] {citizen:idle} con {building:the}",
    "function.pass": "{name} [non usa|non usi] {building:the}",
    "deliver": "{name} [consegna|consegni] {given}",
    "deliver.wood": "{name} [consegna|consegni] {given} al posto {good:of}",
    "deliver.pass": "{name} [passa|passi]",
    "deliver.nothing": "{name} [non ha|non hai] nulla da consegnare",
    "demand": "{name} [lascia|lasci] a terra {good:the}; la nave chiede {demand}",
    "demand.none": "nulla",
    "value.up": "Ogni merce ora vale {value}",
    "value.down": "Ogni merce ora vale solo {value}",
    "ship.new": "La nave salpa e arriva la numero {ship}",
    "ship.last": "Salpa l’ultima nave",
    "wakes": "{citizen:awake}",
    "rent": "{name} [riceve|ricevi] {gains} come proprietario",
    "fault": "{name} [commette|commetti] un fallo ({code}): {fault}",
    "absent": "{name} non si è presentato: un supplente gioca al suo posto.",
    "why.late": "Nessuna scelta è arrivata entro {limit} s.",
    "why.lost": "Nessuna scelta è arrivata entro {limit} s: non c’era connessione con il bot.",
    "why.unproven": (
        "Nessuna scelta è arrivata entro {limit} s: il bot non ha dimostrato di conoscere il "
        "segreto che il gestore condivide con lui. È stato avviato con SANTIAGO_SECRET?"
    ),
    "why.challenge": (
        "Nessuna scelta è arrivata entro {limit} s: la sfida del bot ha {given} byte; devono "
        "essere da 16 a 32."
    ),
    "why.secret": (
        "Nessuna scelta è arrivata entro {limit} s: la prova del bot è sbagliata, ha un altro "
        "segreto."
    ),
    "why.index": "Il bot ha scelto l’indice {index}; ci sono {count} mosse legali, da 0.",
    "why.decision": "Il bot ha risposto alla decisione {given}, ma era stata chiesta la {asked}.",
    "why.again": (
        "Il bot ha risposto una seconda volta alla decisione {given}, ma era stata chiesta "
        "la {asked}."
    ),
    "why.empty": "Il bot ha inviato un messaggio vuoto invece di {due}.",
    "why.bytes": "Il bot ha inviato byte che non sono una PlayResponse.",
    "why.nonce": "Il nonce ha {given} byte; ne sono ammessi al massimo {most}.",
    "why.closed": "Il bot ha chiuso lo stream prima della fine della partita.",
    "why.closed.status": "Il bot ha chiuso lo stream prima della fine della partita ({status}).",
    "why.long": "Il bot ha inviato troppo ({status}).",
    "why.http2": "Il bot ha inviato byte che non sono HTTP/2 ({status}).",
    "why.message": "Il bot ha inviato {given} invece di {due}.",
    "why.failed": "Errore del bot: {status}",
    "why.exit": "Il programma del bot è terminato con il codice di uscita {exit}.",
    "why.memory": "Ha usato più dei suoi {most} MB di memoria.",
    "why.threads": "Ha avviato più dei suoi {most} thread.",
    "why.files": "Ha riempito i suoi {most} MB di file.",
    "why.stopped": "Ha calcolato per più di {most} s mentre era fermo.",
    "why.banned": "Il gestore ha vietato i file di questo bot.",
    "why.left": "Il giocatore ha lasciato il tavolo.",
    "why.busy": "Il bot non aveva tempo per questa partita.",
    "why.accept": "non ha accettato la partita entro {limit} s.",
    "why.connection": "non c’era connessione con {address} ({status}).",
    "why.silent": "nessun bot si descrive a {address} ({status}): {hint}",
    "why.version": "dice di essere la versione {given}, ma è attesa la versione {due}.",
    "why.accept.unproven": (
        "non ha dimostrato di conoscere il segreto che il gestore condivide con lui. È stato "
        "avviato con SANTIAGO_SECRET?"
    ),
    "why.accept.challenge": "la sua sfida ha {given} byte; devono essere da 16 a 32.",
    "why.accept.secret": "la sua prova è sbagliata, ha un altro segreto.",
    "why.start": (
        "Il bot non è partito: è terminato con il codice di uscita {exit} prima di ascoltare."
    ),
    "why.start.silent": (
        "Il bot non ha ascoltato su SANTIAGO_ADDRESS entro il suo tempo di avvio di {limit} s."
    ),
    "why.hint.gateway": "si è unito al gateway?",
    "why.hint.plain": "è in esecuzione lì?",
    "why.hint.certificate": "è in esecuzione lì, con TLS e un certificato valido per il suo host?",
    "why.hint.tls": "è in esecuzione lì, con TLS? ({setting}=1 si collega senza TLS.)",
    "why.start.served": (
        "Il bot non è partito: è terminato con il codice di uscita {exit} prima di "
        "ascoltare. Deve aspettare le partite: in Python e JavaScript, chiama `serve` alla "
        "fine; un programma che scrive mosse ha bisogno di `lines:` davanti al suo comando, "
        "o dell’ambiente `lines` nel suo pacchetto."
    ),
    "why.start.file": (
        "Il bot non è partito: {program} non si può eseguire: il file non esiste, o qui "
        "manca ciò che deve eseguirlo. Il punto di ingresso di un programma nel pacchetto è "
        "il suo percorso, come ./bot."
    ),
    "why.start.mode": (
        "Il bot non è partito: {program} non si può eseguire: manca il permesso di "
        "esecuzione; `chmod +x` lo dà."
    ),
    "why.start.over": "Il bot non è partito: {over}",
    "why.cut.long": "La partita è durata più di quanto permettono i suoi orologi.",
    "why.cut.gateway": (
        "Il gateway non ha risposto, quindi non si è potuto interrogare un bot dietro di esso."
    ),
    "why.cut.lag": "L’arbitro ha avuto un ritardo di {lag} s mentre un bot aveva {limit} s.",
    "why.cut.refused": "Il gateway ha rifiutato questo worker: {status}",
    "why.cut.line": "Il collegamento con l’host si è interrotto ({status}).",
    "why.build.exit": "Il passo della build è terminato con il codice di uscita {exit}.",
    "why.build.late": "Ha richiesto più di {limit} secondi.",
    "why.build.cancelled": "È stata annullata.",
    "why.build.folder": "Non ha lasciato nessuna cartella di cui fare un bundle.",
    "why.build.runtime": "Questo host non ha l’ambiente {runtime}, solo {names}.",
    "why.build.changed": "La build ha cambiato l’ambiente in {runtime}.",
    "why.build.unpacked": "Il bundle non si può estrarre: {error}",
    "why.build.processor": (
        "Il punto di ingresso {entry} è un programma per un altro processore: compilalo per "
        "Linux su {machine}."
    ),
    "why.build.foreign": (
        "Il punto di ingresso {entry} è un programma per {system}: compilalo per Linux su "
        "{machine}."
    ),
    "why.build.entry": (
        "Il punto di ingresso {entry} non è adatto all’ambiente {runtime}: {patterns}."
    ),
    "why.build.deep": "{path}: più di {count} cartelle una dentro l’altra.",
    "why.build.name": "{path}: il suo nome ha caratteri che non si possono mostrare.",
    "why.build.bytes": "Il bundle ha più di {count} byte.",
    "why.build.files": "Il bundle ha più di {count} file.",
    "why.build.read": "Il bundle non si può leggere: {error}.",
    "why.build.packed": "Il bundle compresso supera {count} byte.",
    "also": "Inoltre:",
    "why.package.toml": "Non è TOML in UTF-8: {error}.",
    "why.package.lacks": "Manca: {names}.",
    "why.package.unknown.one": "{names} non è noto qui.",
    "why.package.unknown": "{names} non sono noti qui.",
    "why.package.text": '{field} non è un testo: mettilo tra virgolette, come {field} = "1.0".',
    "why.package.name": "{field} è {value}: usa fino a 40 lettere, cifre e, in mezzo, ._+-",
    "why.package.runtime": "{field} è {value}: usa fino a 40 lettere minuscole, cifre e, dopo, ._-",
    "why.package.language": "{field} è {value}: usa fino a 30 lettere, cifre e, dopo, .#+-",
    "why.package.empty": "{field} è vuoto.",
    "why.package.line": "{field} non è una riga di testo.",
    "why.package.long": "{field} supera {count} caratteri.",
    "why.package.quote": "{field} è {value}: le virgolette non sono chiuse.",
    "why.package.part": "{field} contiene un nome di più di {count} byte: nessun file ne ha.",
    "why.package.list": "{field} non è né un testo né una lista di testi.",
    "why.package.size": "Ha {size} byte; ne sono ammessi {count}.",
    "why.package.kind": "Non è né un .zip né un .tar.gz.",
    "why.package.manifest": (
        "Non ha {file} in cima: `santiago bot new` ne scrive uno per cominciare."
    ),
    "why.package.bytes": "Supera {count} byte.",
    "why.package.cut": "L’archivio è troncato, o ci sono altri dati dopo la sua fine.",
    "why.package.cut.off": "L’archivio è troncato.",
    "why.package.cut.entry": "L’archivio finisce a metà di una voce.",
    "why.package.gzip": "L’archivio è danneggiato: gzip non riesce a leggerlo.",
    "why.package.damaged": "È danneggiato.",
    "why.package.encrypted": "È cifrato.",
    "why.package.method": "È compresso con un metodo diverso da deflate.",
    "why.package.zip64": "È nel formato zip64, che è per più di 4 GB.",
    "why.package.link": (
        "È un link; sono ammessi solo file e cartelle: includi ciò a cui punta, come fa "
        "`santiago bot pack`."
    ),
    "why.package.files": "Ci sono più di {count} file.",
    "why.package.folders": "Ci sono più di {count} cartelle.",
    "why.package.unpacked": "Decompressi, i file superano {count} byte.",
    "why.package.named.utf8": "Il suo nome non è in UTF-8.",
    "why.package.named.print": "Il suo nome ha un carattere che non si può mostrare.",
    "why.package.named.backslash": "Il suo nome ha una barra rovesciata: metti / tra le cartelle.",
    "why.package.named.absolute": "Il suo nome è un percorso assoluto.",
    "why.package.named.out": "Il suo nome porta fuori dall’archivio.",
    "why.package.named.empty": (
        "Il suo nome ha una parte vuota, o uno spazio prima o dopo una parte."
    ),
    "why.package.named.deep": "È a più di {count} cartelle di profondità.",
    "why.package.named.long": "Il suo nome supera {count} byte, o una parte {size}.",
    "why.package.inside": "È in {file}, che è un file.",
    "why.package.twice": "È due volte nell’archivio.",
    "why.package.clash": (
        "È in conflitto con {other}: alcune macchine vedono lo stesso nome in entrambi."
    ),
    "why.check.request": "{one} Gli era stata chiesta una decisione di tipo {kind} (numero {id}).",
    "why.check.end": "Alla fine della partita: {one}",
    "why.check.before": "La partita si è interrotta prima: {one}",
    "why.check.blocked": "Correggi prima {name}.",
    "why.check.nobody": (
        "Là non ascolta nessuno. Avvia il bot, aspetta che dica di attendere partite, poi "
        "riprova. {one}"
    ),
    "why.check.nonce": "Il suo nonce ha {given} byte; ne sono ammessi al massimo {most}.",
    "why.check.again": "Ha risposto una seconda volta alla decisione {given}.",
    "why.check.decision": "Ha risposto alla decisione {given}, ma era stata chiesta la {asked}.",
    "why.check.index": "Ha scelto l’indice {index}; ci sono {count} mosse ammesse, da 0.",
    "why.check.bytes": "Ha inviato byte che non sono una PlayResponse.",
    "why.check.empty": "Ha inviato un messaggio vuoto invece di {due}.",
    "why.check.message": "Ha inviato {given} invece di {due}.",
    "why.check.accept": "Non ha risposto a GameStart con Accept entro {limit} s.",
    "why.check.close": "Non ha chiuso lo stream entro {limit} s dall’ultimo messaggio.",
    "why.check.last": "Ha risposto all’ultimo messaggio, che non chiede risposta.",
    "why.check.unasked": "Ha inviato un messaggio benché non gli fosse stato chiesto nulla.",
    "why.check.read": "Per {limit} s non ha letto ciò che gli è stato inviato.",
    "why.check.proof": (
        "Non è stato ammesso: {one} «The shared secret», alla pagina {page} di questo sito, "
        "spiega come lo dimostra."
    ),
    "why.check.ended": "Ha chiuso lo stream prima della fine della partita.",
    "why.check.error": "Ha chiuso lo stream con un errore ({status}).",
    "why.check.long": "Ha inviato un messaggio troppo lungo ({status}).",
    "why.check.http2": "Ha inviato byte che non sono HTTP/2 ({status}).",
    "why.check.line": "Il collegamento si è interrotto ({status}).",
    "why.check.line.at": "Il collegamento si è interrotto ({status}). A {address}: {hint}",
    "why.check.version": (
        "Dice di essere la versione {given}; è stata presentata la versione {due}. Presentalo "
        "come versione {given}, o avvia quello che dice {due}."
    ),
    "choices.one": "{asked}: una possibilità",
    "choices.other": "{asked}: {count} possibilità",
    "ask.drive": "Fin dove andare",
    "ask.pick": "Che cosa prendere da Pablo",
    "ask.lawyer": "Che cosa chiedere ad Alonso",
    "ask.tribute": "Che cosa dare a El Zorro",
    "ask.visit": "Dove mandare il pedone",
    "ask.function": "Che cosa fare {building:to}",
    "ask.deliver": "Che cosa consegnare",
    "ask.demand": "Quale merce lasciare a terra",
    "about.aim": "Vince chi ha più punti vittoria (PV) quando la settima nave è salpata.",
    "about.drive": (
        "La prima fermata è gratis, ogni altra costa 1 peso. Un abitante dà ciò che mostra la"
        " sua tessera; al porto puoi consegnare alla nave."
    ),
    "about.lawyer": (
        "Ogni volta che il pedone di un altro giocatore termina un turno in un tuo edificio, "
        "ricevi 1 PV."
    ),
    "about.visit": "Il pedone va in un edificio con il fiore dell’abitante, e puoi usarlo.",
    "about.deliver": (
        "Ogni merce dà {value}, ogni legno {wood}. Tutti consegnano a turno; chi passa esce "
        "da questo giro."
    ),
    "about.demand": "La nave vorrà le altre quattro merci, tante quante ne mostrano i loro dadi.",
    "may.drive": "avanzare di {stops} fino {place:to}",
    "may.drive.paid": "avanzare di {stops} fino {place:to} ({cost})",
    "may.take": "prendere {goods}",
    "may.own": "prendere possesso {building:of}",
    "may.use": "usare {building:the}",
    "may.give": "dare {thing}",
    "may.visit": "andare {building:to}",
    "may.convert": "scambiare {given} con {gained}",
    "may.swap": "scambiare {given} con {gained}",
    "may.sell": "dare {given}",
    "may.clear": "mettere a 0 il dado {good:of}",
    "may.casino.buy": "comprare {vp}",
    "may.casino.sell": "vendere {vp}",
    "may.raise": "alzare il valore",
    "may.lower": "abbassare il valore",
    "may.ship": "spedire {given}",
    "may.silence": "rendere {citizen:idle}",
    "may.deliver": "consegnare {given}",
    "may.deliver.wood": "consegnare {given} al posto {good:of}",
    "may.exclude": "lasciare a terra {good:the}",
    "may.pass.lawyer": "non chiedere nulla",
    "may.pass.function": "non usare l’edificio",
    "may.pass.deliver": "passare",
    "end": "{names} [vince|vinci] con {vp}",
    "end.shared": "{names} [vincono|vincete] insieme con {vp}",
    "end.goods": "Ogni 3 merci rimaste danno 1 PV",
    "end.tie.goods": "Il pareggio con {others} si decide con le merci avanzate",
    "end.tie.pesos": "Il pareggio con {others} si decide con i pesos",
    "end.faulted": "Chi commette un fallo finisce ultimo, quali che siano i suoi PV",
    "end.forfeit": "La partita finisce: nessun altro è rimasto senza falli, vittoria per {names}",
    "end.turns": "La partita finisce dopo l’ultimo turno",
    "turning.small": "Un [piccolo errore di {name}|tuo piccolo errore]; meglio: {better}",
    "turning.clear": "Un [errore netto di {name}|tuo errore netto]; meglio: {better}",
    "turning.big": "Un [grande errore di {name}|tuo grande errore]; meglio: {better}",
    "turning.find": "{name} [trova|trovi] una mossa forte e difficile da vedere",
    "turning.only": "{name} [trova|trovi] l’unica mossa buona",
    "turning.roll": "I dadi cambiano il corso della partita",
    "turning.fault": "{name} [esce|esci] dalla partita",
    "turning.move": "Questa [mossa di {name}|tua mossa] cambia il corso della partita",
    "turning.end": "Il finale decide la partita",
    "turning.rises": (
        "La [probabilità di vittoria di {name}|tua probabilità di vittoria] "
        "sale: prima {before}, ora {after}"
    ),
    "turning.falls": (
        "La [probabilità di vittoria di {name}|tua probabilità di vittoria] "
        "scende: prima {before}, ora {after}"
    ),
}

_LABELS = {
    "colon": ": ",
    "value": "Valore di una merce",
    "ships": "Sette navi",
    "supply": "Riserva",
    "demand": "Domanda",
    "car": "Auto",
    "harbour": "il porto",
    "pawns": "Pedoni",
    "owner": "Proprietà di",
    "owners": "Proprietà",
    "silenced": "Inattivi",
    "turn": "Turno",
    "ship": "Nave",
    "rank": "Posizione",
    "fault": "fallo",
    "absent": "non si è presentato",
    "setup": "Preparazione",
    "pesos": "pesos",
    "markers": "indicatori di proprietà",
    "vp": "PV",
    "race": "PV durante la partita",
    "forced": "l’unica mossa",
    "caretaker": "mossa del supplente",
    "no_choice": "In questo momento non c’è nulla da decidere.",
    "longest": "massimo",
    "cpu": "tempo di CPU",
    "inner_bars": "barre sottili: tempo di CPU",
    "dice.promise": "Il seme è quello promesso prima della partita",
    "dice.rolls": "Lanci che risultano dal seme",
    "dice.draws": "Mosse del supplente che risultano dal seme",
    "dice.commitment": "Impegno",
    "dice.seed": "Seme",
    "dice.attempt": "Tentativo",
    "dice.nonce": "Nonce",
    "dice.roll": "Lancio",
    "dice.draw": "Supplente",
}

_ELIDED = {"trading-office", "customs"}
_MASCULINE = {"black-market", "cafe", "casino", "newspaper"}


def _building(thing: str) -> dict[str, str]:
    """Return a building's forms: with the article, alone and contracted with prepositions."""
    noun = _NAMES[thing].lower()
    if thing in _ELIDED:
        articles, own = ("l’", "dell’", "all’", "dall’"), "il proprio "
    elif thing in _MASCULINE:
        articles, own = ("il ", "del ", "al ", "dal "), "il proprio "
    else:
        articles, own = ("la ", "della ", "alla ", "dalla "), "la propria "
    forms = zip(("the", "of", "to", "from"), articles, strict=True)
    return {f"{thing}.own": own + noun, **{f"{thing}.{form}": a + noun for form, a in forms}}


def _citizen(thing: str) -> dict[str, str]:
    """Return the forms for the car's goal, and for a citizen who is silenced or wakes."""
    name, end = _NAMES[thing], "a" if thing in {"maria", "conchita"} else "o"
    return {
        f"{thing}.to": f"ad {name}" if name.startswith("A") else f"a {name}",
        f"{thing}.idle": f"inattiv{end} {name}",
        f"{thing}.awake": f"{name} è di nuovo attiv{end}",
    }


_FORMS = {
    "harbour.to": "al porto",
    "sugar.the": "la canna da zucchero",
    "citrus.the": "gli agrumi",
    "tobacco.the": "il tabacco",
    "rum.the": "il rum",
    "cigars.the": "i sigari",
    "sugar.of": "della canna da zucchero",
    "citrus.of": "degli agrumi",
    "tobacco.of": "del tabacco",
    "rum.of": "del rum",
    "cigars.of": "dei sigari",
    **{key: form for thing in CITIZENS for key, form in _citizen(thing).items()},
    **{key: form for thing in BUILDINGS for key, form in _building(thing).items()},
}

WORDS = Words(
    language="it",
    names=_NAMES,
    amounts=_AMOUNTS,
    gifts=_GIFTS,
    phrases=_PHRASES,
    labels=_LABELS,
    forms=_FORMS,
)

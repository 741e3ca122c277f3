"""French: the names are those of the French rulebook."""

from referee.rules.pieces import BUILDINGS, CITIZENS
from web.words import Words

_NAMES = {
    "sugar": "canne à sucre",
    "citrus": "agrumes",
    "tobacco": "tabac",
    "rum": "rhum",
    "cigars": "cigares",
    "wood": "bois",
    "pedro": "Pedro",
    "maria": "Maria",
    "jose": "José",
    "martinez": "Martinez",
    "conchita": "Conchita",
    "el-zorro": "El Zorro",
    "miguel": "Miguel",
    "pablo": "Pablo",
    "alonso": "Alonso",
    "bank": "Banque",
    "church": "Église",
    "distillery": "Distillerie",
    "cigar-factory": "Fabrique de cigares",
    "black-market": "Marché noir",
    "sawmill": "Scierie",
    "cafe": "Café",
    "customs": "Bureau de douane",
    "casino": "Casino",
    "harbour-office": "Capitainerie",
    "trading-office": "Bureau",
    "newspaper": "Journal",
    "harbour": "le port",
    "yellow": "jaune",
    "blue": "bleue",
    "red": "rouge",
    "white": "blanche",
    "timeout": "temps dépassé",
    "illegal-index": "coup invalide",
    "wrong-decision": "mauvaise décision",
    "closed": "connexion fermée",
    "protocol": "protocole",
    "absent": "absent",
    "limit": "limite dépassée",
    "banned": "banni par l’exploitant",
}

_AMOUNTS = {
    "sugar": ("{count} canne à sucre", "{count} cannes à sucre"),
    "citrus": ("{count} agrume", "{count} agrumes"),
    "tobacco": ("{count} tabac", "{count} tabacs"),
    "rum": ("{count} rhum", "{count} rhums"),
    "cigars": ("{count} cigare", "{count} cigares"),
    "wood": ("{count} bois", "{count} bois"),
    "pesos": ("{count} peso", "{count} pesos"),
    "vp": ("{count} PV", "{count} PV"),
    "stops": ("{count} case", "{count} cases"),
}

_GIFTS = {
    "pedro": "le marchand de tabac : 2 tabacs",
    "maria": "la danseuse : 2 PV",
    "jose": "le cultivateur : 2 cannes à sucre",
    "martinez": "le musicien : 3 pesos",
    "conchita": "la vendeuse de fruits : 2 agrumes",
    "el-zorro": "le pickpocket : chacun donne 1 peso, 1 marchandise (sauf bois) ou 1 PV",
    "miguel": "le bûcheron : 2 bois",
    "pablo": "le receleur : 1 marchandise au choix (sauf bois)",
    "alonso": "l’avocat : prendre possession d’un bâtiment libre ou utiliser un des siens",
    "bank": "2 pesos",
    "church": "1 PV",
    "distillery": "cannes à sucre contre autant de rhums",
    "cigar-factory": "tabacs contre autant de cigares",
    "black-market": "1 marchandise contre 1 autre (sauf bois)",
    "sawmill": "1 bois contre 1 PV et 1 peso",
    "cafe": "1 rhum et/ou 1 cigare, 2 PV chacun",
    "customs": "mettre un dé du navire à 0",
    "casino": "3 pesos contre 1 PV, ou 1 PV contre 3 pesos, à volonté",
    "harbour-office": "déplacer le pion Valeur d’un drapeau, à droite ou à gauche",
    "trading-office": "livrer 1 marchandise demandée pour 2 PV",
    "newspaper": (
        "1 peso, et un Cubain peut être rendu inactif : il ne donne rien tant que la voiture n’est"
        " pas passée"
    ),
}

_PHRASES = {  # "[rolls|roll]": of others, and of the reader
    "you": "Toi",
    "you.act": "Tu",
    "you.object": "toi",
    "list": "{most} et {last}",
    "sentence": "{clause}.",
    "gaining": "{clause} et [reçoit|reçois] {gains}",
    "start": "{names}[ s’installent|, vous vous installez] à la table.",
    "roll": "{name} [lance|lances] les dés : {dice}",
    "gap": "Interruption : il manque ici quelques coups, mais la partie continue",
    "bare": "{name} : {move}",
    "drive": "{name} [avance|avances] de {stops} {place:until}",
    "drive.paid": "{name} [avance|avances] de {stops} {place:until} ({cost})",
    "drive.past": "{name} [avance|avances] de {stops} par le port {place:until} ({cost})",
    "drive.silenced": "{clause}, mais cette tuile est inactive",
    "drive.sold_out": "{clause}, mais la réserve est épuisée",
    "pick": "{name} [prend|prends] {goods} chez Pablo",
    "own": "{name} [prend|prends] possession {building:of}",
    "use": "{name} [utilise {building:own}|utilises {building:the}] grâce à Alonso",
    "lawyer.pass": "{name} [ne demande|ne demandes] rien à Alonso",
    "give": "{name} [donne|donnes] {thing} à {other}",
    "give.you": "{name} te donne {thing}",
    "thief.visit": "{name} [reçoit|reçois] {gains} {building:to}",
    "visit": "{name} [va|vas] {building:to}",
    "visit.unused": "{clause} mais ne [peut|peux] pas l’utiliser",
    "convert": "{name} [transforme|transformes] {given} en {gained} {building:to}",
    "swap": "{name} [échange|échanges] {given} contre {gained} {building:to}",
    "sell": "{name} [remet|remets] {given} {building:to}",
    "clear": "{name} [met|mets] le dé {good:of} à 0 avec {building:the}",
    "casino": "{name} [convertit|convertis] {given} en {gained} {building:to}",
    "raise": "{name} [monte|montes] la valeur d’un drapeau avec {building:the}",
    "lower": "{name} [baisse|baisses] la valeur d’un drapeau avec {building:the}",
    "ship": "{name} [livre|livres] {given} avec {building:the}",
    "silence": "{name} [rend|rends] {citizen:idle} avec {building:the}",
    "function.pass": "{name} [n’utilise|n’utilises] pas {building:the}",
    "deliver": "{name} [livre|livres] {given}",
    "deliver.wood": "{name} [livre|livres] {given} à la place {good:of}",
    "deliver.pass": "{name} [passe|passes]",
    "deliver.nothing": "{name} [n’a|n’as] rien à livrer",
    "demand": "{name} [laisse|laisses] {good:the} à quai ; demande du navire : {demand}",
    "demand.none": "aucune",
    "value.up": "Une marchandise vaut maintenant {value}",
    "value.down": "Une marchandise ne vaut plus que {value}",
    "ship.new": "Le navire part, le numéro {ship} arrive",
    "ship.last": "Le dernier navire part",
    "wakes": "{citizen:awake}",
    "rent": "{name} [reçoit|reçois] {gains} comme propriétaire",
    "fault": "{name} [commet|commets] une faute ({code}) : {fault}",
    "absent": "{name} [ne s’est|ne t’es] pas présenté : un remplaçant joue à [sa|ta] place.",
    "why.late": "Aucun choix n’est arrivé en {limit} s.",
    "why.lost": (
        "Aucun choix n’est arrivé en {limit} s : il n’y avait pas de connexion avec le bot."
    ),
    "why.unproven": (
        "Aucun choix n’est arrivé en {limit} s : le bot n’a pas prouvé qu’il connaît le secret "
        "que l’exploitant partage avec lui. A-t-il été lancé avec SANTIAGO_SECRET ?"
    ),
    "why.challenge": (
        "Aucun choix n’est arrivé en {limit} s : le défi du bot a {given} octets ; il en faut de "
        "16 à 32."
    ),
    "why.secret": (
        "Aucun choix n’est arrivé en {limit} s : la preuve du bot est fausse, il a un autre secret."
    ),
    "why.index": "Le bot a choisi l’index {index} ; il y a {count} coups légaux, à partir de 0.",
    "why.decision": (
        "Le bot a répondu à la décision {given}, mais la question portait sur la {asked}."
    ),
    "why.again": (
        "Le bot a répondu une seconde fois à la décision {given}, mais la question portait "
        "sur la {asked}."
    ),
    "why.empty": "Le bot a envoyé un message vide au lieu de {due}.",
    "why.bytes": "Le bot a envoyé des octets qui ne sont pas une PlayResponse.",
    "why.nonce": "Le nonce a {given} octets ; {most} au plus sont permis.",
    "why.closed": "Le bot a fermé le flux avant la fin de la partie.",
    "why.closed.status": "Le bot a fermé le flux avant la fin de la partie ({status}).",
    "why.long": "Le bot a envoyé trop de données ({status}).",
    "why.http2": "Le bot a envoyé des octets qui ne sont pas du HTTP/2 ({status}).",
    "why.message": "Le bot a envoyé {given} au lieu de {due}.",
    "why.failed": "Le bot a échoué : {status}",
    "why.exit": "Le programme du bot s’est terminé avec le code de sortie {exit}.",
    "why.memory": "Il a utilisé plus que ses {most} Mo de mémoire.",
    "why.threads": "Il a lancé plus que ses {most} fils d’exécution.",
    "why.files": "Il a rempli ses {most} Mo de fichiers.",
    "why.stopped": "Il a calculé pendant plus de {most} s alors qu’il était arrêté.",
    "why.banned": "L’exploitant a banni les fichiers de ce bot.",
    "why.left": "Le joueur a quitté la table.",
    "why.busy": "Le bot n’avait pas de temps pour cette partie.",
    "why.accept": "il n’a pas accepté la partie en {limit} s.",
    "why.connection": "il n’y avait pas de connexion avec {address} ({status}).",
    "why.silent": "aucun bot ne se décrit à {address} ({status}) : {hint}",
    "why.version": "il dit être la version {given}, et la version {due} est attendue.",
    "why.accept.unproven": (
        "il n’a pas prouvé qu’il connaît le secret que l’exploitant partage avec lui. A-t-il été "
        "lancé avec SANTIAGO_SECRET ?"
    ),
    "why.accept.challenge": "son défi a {given} octets ; il en faut de 16 à 32.",
    "why.accept.secret": "sa preuve est fausse, il a un autre secret.",
    "why.start": (
        "Le bot n’a pas démarré : il s’est terminé avec le code de sortie {exit} avant d’écouter."
    ),
    "why.start.silent": (
        "Le bot n’a pas écouté sur SANTIAGO_ADDRESS pendant son temps de démarrage de {limit} s."
    ),
    "why.hint.gateway": "a-t-il rejoint la passerelle ?",
    "why.hint.plain": "tourne-t-il à cet endroit ?",
    "why.hint.certificate": (
        "tourne-t-il à cet endroit, avec TLS et un certificat valable pour son hôte ?"
    ),
    "why.hint.tls": "tourne-t-il à cet endroit, avec TLS ? ({setting}=1 se connecte sans TLS.)",
    "why.start.served": (
        "Le bot n’a pas démarré : il s’est terminé avec le code de sortie {exit} avant "
        "d’écouter. Il doit attendre des parties : en Python et JavaScript, appelle `serve` "
        "à la fin ; un programme qui écrit des coups demande `lines:` devant sa commande, ou "
        "l’environnement `lines` dans son paquet."
    ),
    "why.start.file": (
        "Le bot n’a pas démarré : {program} ne peut pas être exécuté : ce fichier n’existe "
        "pas, ou ce qui doit l’exécuter manque ici. Le point d’entrée d’un programme du "
        "paquet est son chemin, comme ./bot."
    ),
    "why.start.mode": (
        "Le bot n’a pas démarré : {program} ne peut pas être exécuté : il lui manque la "
        "permission ; `chmod +x` la donne."
    ),
    "why.start.over": "Le bot n’a pas démarré : {over}",
    "why.cut.long": "La partie a duré plus longtemps que ses pendules ne le permettent.",
    "why.cut.gateway": (
        "La passerelle n’a pas répondu, si bien qu’un bot derrière elle n’a pas pu être interrogé."
    ),
    "why.cut.lag": "L’arbitre a pris {lag} s de retard pendant qu’un bot avait {limit} s.",
    "why.cut.refused": "La passerelle a refusé ce worker : {status}",
    "why.cut.line": "La liaison avec l’hôte s’est rompue ({status}).",
    "why.build.exit": "L’étape de construction s’est terminée avec le code de sortie {exit}.",
    "why.build.late": "Elle a pris plus de {limit} secondes.",
    "why.build.cancelled": "Elle a été annulée.",
    "why.build.folder": "Elle n’a laissé aucun dossier dont faire un bundle.",
    "why.build.runtime": "Cet hôte n’a pas d’environnement {runtime}, seulement {names}.",
    "why.build.changed": "La construction a changé l’environnement en {runtime}.",
    "why.build.unpacked": "Le bundle ne peut pas être décompressé : {error}",
    "why.build.processor": (
        "Le point d’entrée {entry} est un programme pour un autre processeur : "
        "compile-le pour Linux sur {machine}."
    ),
    "why.build.foreign": (
        "Le point d’entrée {entry} est un programme pour {system} : compile-le pour Linux "
        "sur {machine}."
    ),
    "why.build.entry": (
        "Le point d’entrée {entry} ne convient pas à l’environnement {runtime} : {patterns}."
    ),
    "why.build.deep": "{path} : plus de {count} dossiers l’un dans l’autre.",
    "why.build.name": "{path} : son nom a des caractères qui ne peuvent pas être affichés.",
    "why.build.bytes": "Le bundle a plus de {count} octets.",
    "why.build.files": "Le bundle a plus de {count} fichiers.",
    "why.build.read": "Le bundle ne peut pas être lu : {error}.",
    "why.build.packed": "Le bundle compressé dépasse {count} octets.",
    "also": "De plus :",
    "why.package.toml": "Ce n’est pas du TOML en UTF-8 : {error}.",
    "why.package.lacks": "Il manque : {names}.",
    "why.package.unknown.one": "{names} n’est pas connu ici.",
    "why.package.unknown": "{names} ne sont pas connus ici.",
    "why.package.text": (
        '{field} n’est pas un texte : mets-le entre guillemets, comme {field} = "1.0".'
    ),
    "why.package.name": (
        "{field} est {value} : prends jusqu’à 40 lettres, chiffres et, entre eux, ._+-"
    ),
    "why.package.runtime": (
        "{field} est {value} : prends jusqu’à 40 lettres minuscules, chiffres et, après eux, ._-"
    ),
    "why.package.language": (
        "{field} est {value} : prends jusqu’à 30 lettres, chiffres et, après eux, .#+-"
    ),
    "why.package.empty": "{field} est vide.",
    "why.package.line": "{field} n’est pas une ligne de texte.",
    "why.package.long": "{field} dépasse {count} caractères.",
    "why.package.quote": "{field} est {value} : un guillemet n’y est pas fermé.",
    "why.package.part": "{field} contient un nom de plus de {count} octets : aucun fichier n’en a.",
    "why.package.list": "{field} n’est ni un texte ni une liste de textes.",
    "why.package.size": "Il a {size} octets ; {count} sont permis.",
    "why.package.kind": "Ce n’est ni un .zip ni un .tar.gz.",
    "why.package.manifest": (
        "Il n’a pas de {file} à sa racine : `santiago bot new` en écrit un pour commencer."
    ),
    "why.package.bytes": "Il dépasse {count} octets.",
    "why.package.cut": "L’archive est coupée, ou d’autres données suivent sa fin.",
    "why.package.cut.off": "L’archive est coupée.",
    "why.package.cut.entry": "L’archive se termine au milieu d’une entrée.",
    "why.package.gzip": "L’archive est endommagée : gzip ne peut pas la lire.",
    "why.package.damaged": "Cette entrée est endommagée.",
    "why.package.encrypted": "Cette entrée est chiffrée.",
    "why.package.method": "Cette entrée est compressée autrement que par deflate.",
    "why.package.zip64": "L’archive est au format zip64, prévu pour plus de 4 Go.",
    "why.package.link": (
        "C’est un lien ; seuls les fichiers et les dossiers sont permis : mets ce qu’il désigne "
        "dans le paquet, comme le fait `santiago bot pack`."
    ),
    "why.package.files": "Il y a plus de {count} fichiers.",
    "why.package.folders": "Il y a plus de {count} dossiers.",
    "why.package.unpacked": "Décompressés, les fichiers dépassent {count} octets.",
    "why.package.named.utf8": "Son nom n’est pas en UTF-8.",
    "why.package.named.print": "Son nom a un caractère qui ne peut pas être affiché.",
    "why.package.named.backslash": (
        "Son nom a une barre oblique inverse : mets / entre les dossiers."
    ),
    "why.package.named.absolute": "Son nom est un chemin absolu.",
    "why.package.named.out": "Son nom mène hors de l’archive.",
    "why.package.named.empty": (
        "Son nom a une partie vide, ou une espace avant ou après une partie."
    ),
    "why.package.named.deep": "Cette entrée est à plus de {count} dossiers de profondeur.",
    "why.package.named.long": "Son nom dépasse {count} octets, ou une partie {size}.",
    "why.package.inside": "Cette entrée est dans {file}, qui est un fichier.",
    "why.package.twice": "Cette entrée est deux fois dans l’archive.",
    "why.package.clash": (
        "Il se confond avec {other} : certaines machines voient le même nom dans les deux."
    ),
    "why.check.request": "{one} On lui avait demandé une décision de type {kind} (numéro {id}).",
    "why.check.end": "À la fin de la partie : {one}",
    "why.check.before": "La partie s’est interrompue avant : {one}",
    "why.check.blocked": "Corrige d’abord {name}.",
    "why.check.nobody": (
        "Personne n’écoute là-bas. Démarre le bot, attends qu’il dise qu’il attend des parties, "
        "puis réessaie. {one}"
    ),
    "why.check.nonce": "Son nonce a {given} octets ; {most} au plus sont permis.",
    "why.check.again": "Il a répondu une deuxième fois à la décision {given}.",
    "why.check.decision": "Il a répondu à la décision {given}, mais {asked} était demandée.",
    "why.check.index": "Il a choisi l’indice {index} ; il y a {count} coups permis, à partir de 0.",
    "why.check.bytes": "Il a envoyé des octets qui ne sont pas une PlayResponse.",
    "why.check.empty": "Il a envoyé un message vide au lieu de {due}.",
    "why.check.message": "Il a envoyé {given} au lieu de {due}.",
    "why.check.accept": "Il n’a pas répondu à GameStart par Accept en {limit} s.",
    "why.check.close": "Il n’a pas fermé le flux dans les {limit} s après le dernier message.",
    "why.check.last": "Il a répondu au dernier message, qui n’attend pas de réponse.",
    "why.check.unasked": "Il a envoyé un message alors que rien n’était demandé.",
    "why.check.read": "Il n’a pas lu pendant {limit} s ce qui lui était envoyé.",
    "why.check.proof": (
        "Il n’a pas été admis : {one} « The shared secret », à la page {page} de ce site, dit "
        "comment il le prouve."
    ),
    "why.check.ended": "Il a terminé le flux avant la fin de la partie.",
    "why.check.error": "Il a terminé le flux par une erreur ({status}).",
    "why.check.long": "Il a envoyé un message trop long ({status}).",
    "why.check.http2": "Il a envoyé des octets qui ne sont pas du HTTP/2 ({status}).",
    "why.check.line": "La liaison s’est rompue ({status}).",
    "why.check.line.at": "La liaison s’est rompue ({status}). À {address} : {hint}",
    "why.check.version": (
        "Il dit être la version {given} ; la version {due} a été soumise. Soumets-le comme "
        "version {given}, ou démarre celui qui dit {due}."
    ),
    "choices.one": "{asked} : un seul choix",
    "choices.other": "{asked} : {count} choix",
    "ask.drive": "Jusqu’où avancer",
    "ask.pick": "Que prendre chez Pablo",
    "ask.lawyer": "Que demander à Alonso",
    "ask.tribute": "Que donner à El Zorro",
    "ask.visit": "Où envoyer le courtier",
    "ask.function": "Que faire {building:to}",
    "ask.deliver": "Que livrer",
    "ask.demand": "Quelle marchandise laisser à quai",
    "about.aim": (
        "Celui qui a le plus de points de victoire (PV) au départ du septième navire gagne."
    ),
    "about.drive": (
        "La première case est gratuite, chaque case suivante coûte 1 peso. Un Cubain donne ce"
        " que montre sa tuile ; au port, tu peux livrer au navire."
    ),
    "about.lawyer": (
        "Chaque fois que le courtier d’un autre joueur termine un tour dans un de tes "
        "bâtiments, tu reçois 1 PV."
    ),
    "about.visit": "Le courtier va dans un bâtiment à la fleur du Cubain, et tu peux l’utiliser.",
    "about.deliver": (
        "Chaque marchandise rapporte {value}, chaque bois {wood}. Tous livrent à tour de "
        "rôle ; qui passe ne participe plus à cette phase."
    ),
    "about.demand": (
        "Le navire voudra les quatre autres marchandises, autant que leurs dés en montrent."
    ),
    "may.drive": "avancer de {stops} {place:until}",
    "may.drive.paid": "avancer de {stops} {place:until} ({cost})",
    "may.take": "prendre {goods}",
    "may.own": "prendre possession {building:of}",
    "may.use": "utiliser {building:the}",
    "may.give": "donner {thing}",
    "may.visit": "aller {building:to}",
    "may.convert": "transformer {given} en {gained}",
    "may.swap": "échanger {given} contre {gained}",
    "may.sell": "remettre {given}",
    "may.clear": "mettre le dé {good:of} à 0",
    "may.casino.buy": "acheter {vp}",
    "may.casino.sell": "vendre {vp}",
    "may.raise": "monter la valeur",
    "may.lower": "baisser la valeur",
    "may.ship": "livrer {given}",
    "may.silence": "rendre {citizen:idle}",
    "may.deliver": "livrer {given}",
    "may.deliver.wood": "livrer {given} à la place {good:of}",
    "may.exclude": "laisser {good:the} à quai",
    "may.pass.lawyer": "ne rien demander",
    "may.pass.function": "ne pas utiliser le bâtiment",
    "may.pass.deliver": "passer",
    "end": "{names} [gagne|gagnes] avec {vp}",
    "end.shared": "{names}[ se partagent|, vous vous partagez] la victoire avec {vp}",
    "end.goods": "Les marchandises restantes rapportent 1 PV par lot de 3",
    "end.tie.goods": "Les marchandises en trop départagent l’égalité avec {others}",
    "end.tie.pesos": "Les pesos départagent l’égalité avec {others}",
    "end.faulted": "Qui commet une faute finit dernier, quels que soient ses PV",
    "end.forfeit": "Fin anticipée, personne d’autre ne reste sans faute : victoire pour {names}",
    "end.turns": "La partie s’arrête après son dernier tour",
    "turning.small": "{name} [commet|commets] une petite erreur ; mieux valait : {better}",
    "turning.clear": "{name} [commet|commets] une erreur nette ; mieux valait : {better}",
    "turning.big": "{name} [commet|commets] une grosse erreur ; mieux valait : {better}",
    "turning.find": "{name} [trouve|trouves] un coup fort et difficile à voir",
    "turning.only": "{name} [trouve|trouves] le seul bon coup",
    "turning.roll": "Les dés font basculer la partie",
    "turning.fault": "{name} [quitte|quittes] la partie",
    "turning.move": "{name} [fait|fais] basculer la partie par ce coup",
    "turning.end": "La fin décide de la partie",
    "turning.rises": (
        "[{name} voit sa|Tu vois ta] probabilité de gagner monter de {before} à {after}"
    ),
    "turning.falls": (
        "[{name} voit sa|Tu vois ta] probabilité de gagner tomber de {before} à {after}"
    ),
}

# A colon follows those that end with a space.
_LABELS = {
    "colon": " : ",
    "value": "Valeur marchande",
    "ships": "Sept navires",
    "supply": "Réserve",
    "demand": "Demande",
    "car": "Voiture",
    "harbour": "le port",
    "pawns": "Courtiers",
    "owner": "Propriétaire",
    "owners": "Propriétaires",
    "silenced": "Inactifs",
    "turn": "Tour",
    "ship": "Navire",
    "rank": "Rang",
    "fault": "faute",
    "absent": "absent",
    "setup": "Début",
    "pesos": "pesos",
    "markers": "marqueurs Propriété",
    "vp": "PV",
    "race": "PV au fil de la partie",
    "forced": "le seul coup possible",
    "caretaker": "joué par le remplaçant",
    "no_choice": "Il n’y a rien à décider à ce moment.",
    "longest": "maximum",
    "cpu": "temps CPU",
    "inner_bars": "barres fines : temps CPU",
    "dice.promise": "La graine est celle qui a été promise avant la partie",
    "dice.rolls": "Lancers qui découlent de la graine",
    "dice.draws": "Coups du remplaçant qui découlent de la graine",
    "dice.commitment": "Engagement",
    "dice.seed": "Graine",
    "dice.attempt": "Tentative",
    "dice.nonce": "Nonce",
    "dice.roll": "Lancer",
    "dice.draw": "Remplaçant",
}

_FEMININE = {
    "bank",
    "church",
    "distillery",
    "cigar-factory",
    "sawmill",
    "harbour-office",
    "maria",
    "conchita",
}


def _building(thing: str) -> dict[str, str]:
    """Return a building's forms: with the article, alone and contracted with prepositions."""
    noun = _NAMES[thing]
    if thing == "church":
        the, of, to, own = f"l’{noun}", f"de l’{noun}", f"à l’{noun}", f"son {noun}"
    elif thing in _FEMININE:
        the, of, to, own = f"la {noun}", f"de la {noun}", f"à la {noun}", f"sa {noun}"
    else:
        the, of, to, own = f"le {noun}", f"du {noun}", f"au {noun}", f"son {noun}"
    return {f"{thing}.the": the, f"{thing}.of": of, f"{thing}.to": to, f"{thing}.own": own}


def _citizen(thing: str) -> dict[str, str]:
    """Return the forms for the car's goal, and for a citizen who is silenced or wakes."""
    name, idle = _NAMES[thing], "inactive" if thing in _FEMININE else "inactif"
    awake = "active" if thing in _FEMININE else "actif"
    return {
        f"{thing}.until": f"jusque chez {name}",
        f"{thing}.idle": f"{name} {idle}",
        f"{thing}.awake": f"{name} est de nouveau {awake}",
    }


_FORMS = {
    "harbour-office.tile": "Capitai- nerie",
    "sugar.the": "la canne à sucre",
    "citrus.the": "les agrumes",
    "tobacco.the": "le tabac",
    "rum.the": "le rhum",
    "cigars.the": "les cigares",
    "sugar.of": "de la canne à sucre",
    "citrus.of": "des agrumes",
    "tobacco.of": "du tabac",
    "rum.of": "du rhum",
    "cigars.of": "des cigares",
    "harbour.until": "jusqu’au port",
    **{key: form for thing in CITIZENS for key, form in _citizen(thing).items()},
    **{key: form for thing in BUILDINGS for key, form in _building(thing).items()},
}

WORDS = Words(
    language="fr",
    names=_NAMES,
    amounts=_AMOUNTS,
    gifts=_GIFTS,
    phrases=_PHRASES,
    labels=_LABELS,
    forms=_FORMS,
)

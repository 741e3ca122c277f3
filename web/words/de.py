"""German. The names are those of the German rulebook."""

from referee.rules.pieces import CITIZENS
from web.words import Words

_NAMES = {
    "sugar": "Zuckerrohr",
    "citrus": "Zitrusfrüchte",
    "tobacco": "Tabak",
    "rum": "Rum",
    "cigars": "Zigarren",
    "wood": "Holz",
    "pedro": "Pedro",
    "maria": "Maria",
    "jose": "José",
    "martinez": "Martinez",
    "conchita": "Conchita",
    "el-zorro": "El Zorro",
    "miguel": "Miguel",
    "pablo": "Pablo",
    "alonso": "Alonso",
    "bank": "Bank",
    "church": "Kirche",
    "distillery": "Schnapsbrennerei",
    "cigar-factory": "Zigarrenfabrik",
    "black-market": "Schwarzmarkt",
    "sawmill": "Sägewerk",
    "cafe": "Café",
    "customs": "Zollamt",
    "casino": "Casino",
    "harbour-office": "Hafenamt",
    "trading-office": "Kontor",
    "newspaper": "Zeitungsverlag",
    "harbour": "Hafen",
    "yellow": "gelb",
    "blue": "blau",
    "red": "rot",
    "white": "weiß",
    "timeout": "Zeit überschritten",
    "illegal-index": "ungültiger Zug",
    "wrong-decision": "falsche Entscheidung",
    "closed": "Verbindung beendet",
    "protocol": "Protokollfehler",
    "absent": "nicht angetreten",
    "limit": "Grenze überschritten",
    "banned": "vom Betreiber gesperrt",
}

_AMOUNTS = {
    "sugar": ("{count} Zuckerrohr", "{count} Zuckerrohr"),
    "citrus": ("{count} Zitrusfrucht", "{count} Zitrusfrüchte"),
    "tobacco": ("{count} Tabak", "{count} Tabak"),
    "rum": ("{count} Rum", "{count} Rum"),
    "cigars": ("{count} Zigarre", "{count} Zigarren"),
    "wood": ("{count} Holz", "{count} Holz"),
    "pesos": ("{count} Peso", "{count} Pesos"),
    "vp": ("{count} SP", "{count} SP"),
    "stops": ("{count} Station", "{count} Stationen"),
}

_GIFTS = {
    "pedro": "der Tabakhändler: 2 Tabak",
    "maria": "die Tänzerin: 2 SP",
    "jose": "der Zuckerrohrfarmer: 2 Zuckerrohr",
    "martinez": "der Musiker: 3 Pesos",
    "conchita": "die Obsthändlerin: 2 Zitrusfrüchte",
    "el-zorro": "der Taschendieb: Alle anderen geben 1 Peso, 1 Ware (außer Holz) oder 1 SP ab",
    "miguel": "der Holzfäller: 2 Holz",
    "pablo": "der Hehler: 1 beliebige Ware (außer Holz)",
    "alonso": "der Anwalt: ein freies Gebäude in Besitz nehmen oder ein eigenes nutzen",
    "bank": "2 Pesos",
    "church": "1 SP",
    "distillery": "beliebig viel Zuckerrohr zu gleich viel Rum",
    "cigar-factory": "beliebig viel Tabak zu gleich vielen Zigarren",
    "black-market": "1 Ware gegen 1 andere (außer Holz)",
    "sawmill": "1 Holz für 1 SP und 1 Peso",
    "cafe": "1 Rum und/oder 1 Zigarre für je 2 SP",
    "customs": "einen Nachfragewürfel des Schiffes auf 0 drehen",
    "casino": "beliebig oft 3 Pesos gegen 1 SP oder 1 SP gegen 3 Pesos",
    "harbour-office": "den Warenwert um eine Fahne erhöhen oder senken",
    "trading-office": "1 nachgefragte Ware für 2 SP liefern",
    "newspaper": (
        "1 Peso, und ein Cubaner darf deaktiviert werden: Er gibt nichts, bis das Auto vorbei ist"
    ),
}

_PHRASES = {  # "[rolls|roll]": of others, and of the reader
    "you": "Du",
    "you.act": "Du",
    "you.object": "dich",
    "list": "{most} und {last}",
    "sentence": "{clause}.",
    "gaining": "{clause} und [erhält|erhältst] {gains}",
    "start": "{names} [nehmen|nehmt] am Tisch Platz.",
    "roll": "{name} [würfelt|würfelst] {dice}",
    "gap": "Unterbrochen: Hier fehlen einige Züge, aber das Spiel geht weiter",
    "bare": "{name}: {move}",
    "drive": "{name} [fährt|fährst] {stops} weit {place:to}",
    "drive.paid": "{name} [fährt|fährst] {stops} weit {place:to} ({cost})",
    "drive.past": "{name} [fährt|fährst] {stops} weit am Hafen vorbei {place:to} ({cost})",
    "drive.silenced": "{clause}, doch das Plättchen ist deaktiviert",
    "drive.sold_out": "{clause}, doch der Vorrat ist leer",
    "pick": "{name} [nimmt|nimmst] bei Pablo {goods}",
    "own": "{name} [nimmt|nimmst] {building:which} in Besitz",
    "use": "{name} nutzt dank Alonso {building:own}",
    "lawyer.pass": "{name} [verzichtet|verzichtest] bei Alonso",
    "give": "{name} [gibt|gibst] {thing} an {other} ab",
    "give.you": "{name} gibt dir {thing} ab",
    "thief.visit": "{name} [erhält|erhältst] {building:at} {gains}",
    "visit": "{name} [geht|gehst] {building:to}",
    "visit.unused": "{clause}, [kann|kannst] das Gebäude aber nicht nutzen",
    "convert": "{name} [verarbeitet|verarbeitest] {building:at} {given} zu {gained}",
    "swap": "{name} [tauscht|tauschst] {building:at} {given} gegen {gained}",
    "sell": "{name} [gibt|gibst] {building:at} {given} ab",
    "clear": "{name} [dreht|drehst] {building:at} {good:die} auf 0",
    "casino": "{name} [tauscht|tauschst] {building:at} {given} gegen {gained}",
    "raise": "{name} [erhöht|erhöhst] {building:at} den Warenwert",
    "lower": "{name} [senkt|senkst] {building:at} den Warenwert",
    "ship": "{name} [liefert|lieferst] {given} über {building:which}",
    "silence": "{name} [deaktiviert|deaktivierst] {citizen} über {building:which}",
    "function.pass": "{name} lässt {building:which} ungenutzt",
    "deliver": "{name} [liefert|lieferst] {given}",
    "deliver.wood": "{name} [liefert|lieferst] {given} {good:instead}",
    "deliver.pass": "{name} passt",
    "deliver.nothing": "{name} [kann|kannst] nichts liefern",
    "demand": "{name} lässt {good} weg; das Schiff fragt {demand} nach",
    "demand.none": "nichts",
    "value.up": "Eine Ware ist jetzt {value} wert",
    "value.down": "Eine Ware ist jetzt nur noch {value} wert",
    "ship.new": "Das Schiff läuft aus, Schiff {ship} legt an",
    "ship.last": "Das letzte Schiff läuft aus",
    "wakes": "{citizen} ist wieder aktiv",
    "rent": "{name} [erhält|erhältst] als Besitzer {gains}",
    "fault": "{name} [macht|machst] einen Fehler ({code}): {fault}",
    "absent": "{name} [ist|bist] nicht angetreten: Eine Vertretung spielt für diesen Sitz.",
    "why.late": "Innerhalb von {limit} s kam keine Wahl.",
    "why.lost": "Innerhalb von {limit} s kam keine Wahl: Es gab keine Verbindung zum Bot.",
    "why.unproven": (
        "Innerhalb von {limit} s kam keine Wahl: Der Bot hat nicht bewiesen, dass er das "
        "Geheimnis kennt, das der Betreiber mit ihm teilt. Wurde er mit SANTIAGO_SECRET "
        "gestartet?"
    ),
    "why.challenge": (
        "Innerhalb von {limit} s kam keine Wahl: Die Challenge des Bots hat {given} Bytes; 16 "
        "bis 32 müssen es sein."
    ),
    "why.secret": (
        "Innerhalb von {limit} s kam keine Wahl: Der Beweis des Bots ist falsch, er hat ein "
        "anderes Geheimnis."
    ),
    "why.index": "Der Bot hat Index {index} gewählt; es gibt {count} erlaubte Züge, ab 0.",
    "why.decision": "Der Bot hat auf Entscheidung {given} geantwortet, gefragt war aber {asked}.",
    "why.again": (
        "Der Bot hat ein zweites Mal auf Entscheidung {given} geantwortet, gefragt war aber "
        "{asked}."
    ),
    "why.empty": "Der Bot hat eine leere Nachricht statt {due} gesendet.",
    "why.bytes": "Der Bot hat Bytes gesendet, die keine PlayResponse sind.",
    "why.nonce": "Die Nonce hat {given} Bytes; erlaubt sind höchstens {most}.",
    "why.closed": "Der Bot hat den Stream vor dem Ende der Partie beendet.",
    "why.closed.status": "Der Bot hat den Stream vor dem Ende der Partie beendet ({status}).",
    "why.long": "Der Bot hat zu viel gesendet ({status}).",
    "why.http2": "Der Bot hat Bytes gesendet, die kein HTTP/2 sind ({status}).",
    "why.message": "Der Bot hat {given} statt {due} gesendet.",
    "why.failed": "Der Bot ist gescheitert: {status}",
    "why.exit": "Das Programm des Bots hat sich mit dem Exit-Code {exit} beendet.",
    "why.memory": "Er hat mehr als seine {most} MB Arbeitsspeicher verwendet.",
    "why.threads": "Er hat mehr als seine {most} Threads gestartet.",
    "why.files": "Er hat seine {most} MB für Dateien gefüllt.",
    "why.stopped": "Er hat länger als {most} s gerechnet, während er angehalten war.",
    "why.banned": "Der Betreiber hat die Dateien dieses Bots gesperrt.",
    "why.left": "Der Spieler hat den Tisch verlassen.",
    "why.busy": "Der Bot hatte keine Zeit für diese Partie.",
    "why.accept": "Er hat die Partie nicht innerhalb von {limit} s angenommen.",
    "why.connection": "Es gab keine Verbindung zu {address} ({status}).",
    "why.silent": "Kein Bot beschreibt sich unter {address} ({status}): {hint}",
    "why.version": "Er sagt, er sei Version {given}, erwartet wird Version {due}.",
    "why.accept.unproven": (
        "Er hat nicht bewiesen, dass er das Geheimnis kennt, das der Betreiber mit ihm teilt. "
        "Wurde er mit SANTIAGO_SECRET gestartet?"
    ),
    "why.accept.challenge": "Seine Challenge hat {given} Bytes; 16 bis 32 müssen es sein.",
    "why.accept.secret": "Sein Beweis ist falsch, er hat ein anderes Geheimnis.",
    "why.start": (
        "Der Bot ist nicht gestartet: Er hat sich mit dem Exit-Code {exit} beendet, ehe er "
        "lauschte."
    ),
    "why.start.silent": (
        "Der Bot hat innerhalb seiner Startzeit von {limit} s nicht auf SANTIAGO_ADDRESS gelauscht."
    ),
    "why.hint.gateway": "Ist er beim Gateway angemeldet?",
    "why.hint.plain": "Läuft er dort?",
    "why.hint.certificate": (
        "Läuft er dort, mit TLS und einem Zertifikat, das für seinen Host gilt?"
    ),
    "why.hint.tls": "Läuft er dort, mit TLS? ({setting}=1 verbindet ohne TLS.)",
    "why.start.served": (
        "Der Bot ist nicht gestartet: Er hat sich mit dem Exit-Code {exit} beendet, ehe er "
        "lauschte. Er muss auf Partien warten: Rufe in Python und JavaScript am Ende `serve` "
        "auf; ein Programm, das Züge ausgibt, braucht `lines:` vor seinem Befehl oder in "
        "seinem Paket die Laufzeitumgebung `lines`."
    ),
    "why.start.file": (
        "Der Bot ist nicht gestartet: {program} lässt sich nicht ausführen: Die Datei gibt "
        "es nicht, oder was sie ausführen soll, fehlt hier. Der Einstiegspunkt eines "
        "Programms im Paket ist sein Pfad, etwa ./bot."
    ),
    "why.start.mode": (
        "Der Bot ist nicht gestartet: {program} lässt sich nicht ausführen: Die Datei darf "
        "nicht ausgeführt werden; `chmod +x` erlaubt es."
    ),
    "why.start.over": "Der Bot ist nicht gestartet: {over}",
    "why.cut.long": "Die Partie dauerte länger, als ihre Uhren erlauben.",
    "why.cut.gateway": (
        "Das Gateway antwortete nicht; ein Bot dahinter konnte deshalb nicht gefragt werden."
    ),
    "why.cut.lag": "Der Schiedsrichter stand {lag} s still, während ein Bot {limit} s hatte.",
    "why.cut.refused": "Das Gateway hat diesen Worker abgewiesen: {status}",
    "why.cut.line": "Die Verbindung zum Host brach ab ({status}).",
    "why.build.exit": "Der Build-Schritt endete mit dem Exit-Code {exit}.",
    "why.build.late": "Er dauerte länger als {limit} Sekunden.",
    "why.build.cancelled": "Er wurde abgebrochen.",
    "why.build.folder": "Er hinterließ keinen Ordner, aus dem ein Bündel werden könnte.",
    "why.build.runtime": "Dieser Host hat keine Laufzeitumgebung {runtime}, nur {names}.",
    "why.build.changed": "Der Build hat die Laufzeitumgebung in {runtime} geändert.",
    "why.build.unpacked": "Das Bündel lässt sich nicht entpacken: {error}",
    "why.build.processor": (
        "Der Einstiegspunkt {entry} ist ein Programm für einen anderen Prozessor: Kompiliere "
        "ihn für Linux auf {machine}."
    ),
    "why.build.foreign": (
        "Der Einstiegspunkt {entry} ist ein Programm für {system}: Kompiliere ihn für Linux "
        "auf {machine}."
    ),
    "why.build.entry": (
        "Der Einstiegspunkt {entry} passt nicht zur Laufzeitumgebung {runtime}: {patterns}."
    ),
    "why.build.deep": "{path}: mehr als {count} Ordner ineinander.",
    "why.build.name": "{path}: Der Name hat Zeichen, die sich nicht darstellen lassen.",
    "why.build.bytes": "Das Bündel hat mehr als {count} Bytes.",
    "why.build.files": "Das Bündel hat mehr als {count} Dateien.",
    "why.build.read": "Das Bündel lässt sich nicht lesen: {error}.",
    "why.build.packed": "Das Bündel ist gepackt größer als {count} Bytes.",
    "also": "Außerdem:",
    "why.package.toml": "Sie ist kein TOML in UTF-8: {error}.",
    "why.package.lacks": "Es fehlt: {names}.",
    "why.package.unknown.one": "{names} ist hier nicht bekannt.",
    "why.package.unknown": "{names} sind hier nicht bekannt.",
    "why.package.text": (
        '{field} ist kein Text: Setze den Wert in Anführungszeichen, etwa {field} = "1.0".'
    ),
    "why.package.name": (
        "{field} ist {value}: Nimm bis zu 40 Buchstaben, Ziffern und dazwischen ._+-"
    ),
    "why.package.runtime": (
        "{field} ist {value}: Nimm bis zu 40 kleine Buchstaben, Ziffern und danach ._-"
    ),
    "why.package.language": (
        "{field} ist {value}: Nimm bis zu 30 Buchstaben, Ziffern und danach .#+-"
    ),
    "why.package.empty": "{field} ist leer.",
    "why.package.line": "{field} ist keine Zeile Text.",
    "why.package.long": "{field} ist länger als {count} Zeichen.",
    "why.package.quote": "{field} ist {value}: Ein Anführungszeichen darin hat kein Ende.",
    "why.package.part": (
        "{field} enthält einen Namen mit mehr als {count} Bytes: So heißt keine Datei."
    ),
    "why.package.list": "{field} ist weder ein Text noch eine Liste von Texten.",
    "why.package.size": "Es hat {size} Bytes; erlaubt sind {count}.",
    "why.package.kind": "Es ist weder ein .zip noch ein .tar.gz.",
    "why.package.manifest": (
        "Zuoberst liegt keine {file}: `santiago bot new` schreibt eine für den Anfang."
    ),
    "why.package.bytes": "Sie hat mehr als {count} Bytes.",
    "why.package.cut": "Das Archiv ist abgeschnitten, oder nach seinem Ende kommen weitere Daten.",
    "why.package.cut.off": "Das Archiv ist abgeschnitten.",
    "why.package.cut.entry": "Das Archiv endet mitten in einem Eintrag.",
    "why.package.gzip": "Das Archiv ist beschädigt: gzip kann es nicht lesen.",
    "why.package.damaged": "Der Eintrag ist beschädigt.",
    "why.package.encrypted": "Der Eintrag ist verschlüsselt.",
    "why.package.method": "Der Eintrag ist anders gepackt als mit deflate.",
    "why.package.zip64": "Das Archiv hat die Form zip64, die für mehr als 4 GB gedacht ist.",
    "why.package.link": (
        "Das ist ein Link; erlaubt sind nur Dateien und Ordner: Packe ein, worauf er zeigt, wie "
        "`santiago bot pack` es tut."
    ),
    "why.package.files": "Es sind mehr als {count} Dateien.",
    "why.package.folders": "Es sind mehr als {count} Ordner.",
    "why.package.unpacked": "Entpackt haben die Dateien mehr als {count} Bytes.",
    "why.package.named.utf8": "Der Name ist nicht in UTF-8.",
    "why.package.named.print": "Der Name hat ein Zeichen, das sich nicht darstellen lässt.",
    "why.package.named.backslash": "Der Name hat einen Backslash: Trenne Ordner durch /.",
    "why.package.named.absolute": "Der Name ist ein absoluter Pfad.",
    "why.package.named.out": "Der Name führt aus dem Archiv hinaus.",
    "why.package.named.empty": (
        "Der Name hat einen leeren Teil, oder ein Leerzeichen vor oder nach einem Teil."
    ),
    "why.package.named.deep": "Der Eintrag liegt tiefer als {count} Ordner.",
    "why.package.named.long": (
        "Der Name ist länger als {count} Bytes, oder ein Teil davon als {size}."
    ),
    "why.package.inside": "Der Eintrag liegt in {file}, und das ist eine Datei.",
    "why.package.twice": "Der Eintrag steht zweimal im Archiv.",
    "why.package.clash": (
        "Der Name stößt mit {other} zusammen: Manche Rechner sehen in beiden denselben."
    ),
    "why.check.request": (
        "{one} Gefragt war er nach einer Entscheidung der Art {kind} (Nummer {id})."
    ),
    "why.check.end": "Am Ende der Partie: {one}",
    "why.check.before": "Die Partie brach vorher ab: {one}",
    "why.check.blocked": "Behebe zuerst {name}.",
    "why.check.nobody": (
        "Dort hört niemand. Starte den Bot, warte, bis er sagt, dass er auf Partien wartet, und "
        "versuche es dann noch einmal. {one}"
    ),
    "why.check.nonce": "Seine Nonce hat {given} Bytes; erlaubt sind höchstens {most}.",
    "why.check.again": "Er hat ein zweites Mal auf Entscheidung {given} geantwortet.",
    "why.check.decision": "Er hat auf Entscheidung {given} geantwortet, gefragt war aber {asked}.",
    "why.check.index": "Er hat Index {index} gewählt; es gibt {count} erlaubte Züge, ab 0.",
    "why.check.bytes": "Er hat Bytes gesendet, die keine PlayResponse sind.",
    "why.check.empty": "Er hat eine leere Nachricht statt {due} gesendet.",
    "why.check.message": "Er hat {given} statt {due} gesendet.",
    "why.check.accept": (
        "Er hat auf GameStart nicht innerhalb von {limit} s mit Accept geantwortet."
    ),
    "why.check.close": (
        "Er hat den Stream nicht innerhalb von {limit} s nach der letzten Nachricht geschlossen."
    ),
    "why.check.last": "Er hat auf die letzte Nachricht geantwortet, die keine Antwort verlangt.",
    "why.check.unasked": "Er hat eine Nachricht gesendet, obwohl nichts gefragt war.",
    "why.check.read": "Er hat {limit} s lang nicht gelesen, was ihm gesendet wurde.",
    "why.check.proof": (
        "Er wurde nicht eingelassen: {one} „The shared secret“ auf der Seite {page} dieser "
        "Website sagt, wie er es beweist."
    ),
    "why.check.ended": "Er hat den Stream vor dem Ende der Partie beendet.",
    "why.check.error": "Er hat den Stream mit einem Fehler beendet ({status}).",
    "why.check.long": "Er hat eine zu lange Nachricht gesendet ({status}).",
    "why.check.http2": "Er hat Bytes gesendet, die kein HTTP/2 sind ({status}).",
    "why.check.line": "Die Verbindung brach ab ({status}).",
    "why.check.line.at": "Die Verbindung brach ab ({status}). Bei {address}: {hint}",
    "why.check.version": (
        "Er sagt, er sei Version {given}; eingereicht wurde Version {due}. Reiche ihn als "
        "Version {given} ein, oder starte den, der {due} sagt."
    ),
    "choices.one": "{asked}: eine Möglichkeit",
    "choices.other": "{asked}: {count} Möglichkeiten",
    "ask.drive": "Wie weit fahren",
    "ask.pick": "Was bei Pablo nehmen",
    "ask.lawyer": "Was bei Alonso tun",
    "ask.tribute": "Was an El Zorro abgeben",
    "ask.visit": "Wohin mit der Figur",
    "ask.function": "Was {building:at} tun",
    "ask.deliver": "Was liefern",
    "ask.demand": "Welche Ware weglassen",
    "about.aim": "Es gewinnt, wer die meisten Siegpunkte (SP) hat, wenn das siebte Schiff abfährt.",
    "about.drive": (
        "Die erste Station ist kostenlos, jede weitere kostet 1 Peso. Ein Cubaner gibt, was "
        "seine Karte zeigt; im Hafen kannst du an das Schiff liefern."
    ),
    "about.lawyer": (
        "Immer wenn jemand anderes mit seiner Figur auf einem deiner Gebäude einen Zug "
        "beendet, bekommst du 1 SP."
    ),
    "about.visit": (
        "Die Figur zieht auf ein Gebäude mit der Blume des Cubaners, und du darfst es nutzen."
    ),
    "about.deliver": (
        "Jede Ware bringt {value}, jedes Holz {wood}. Alle liefern reihum; wer passt, ist in "
        "dieser Lieferrunde nicht mehr dabei."
    ),
    "about.demand": (
        "Das Schiff will dann die vier anderen Waren, so viele, wie ihre Würfel zeigen."
    ),
    "may.drive": "{stops} weit {place:to} fahren",
    "may.drive.paid": "{stops} weit {place:to} fahren ({cost})",
    "may.take": "{goods} nehmen",
    "may.own": "{building:which} in Besitz nehmen",
    "may.use": "{building:which} nutzen",
    "may.give": "{thing} abgeben",
    "may.visit": "{building:to} gehen",
    "may.convert": "{given} zu {gained} verarbeiten",
    "may.swap": "{given} gegen {gained} tauschen",
    "may.sell": "{given} abgeben",
    "may.clear": "{good:die} auf 0 drehen",
    "may.casino.buy": "{vp} kaufen",
    "may.casino.sell": "{vp} verkaufen",
    "may.raise": "den Warenwert erhöhen",
    "may.lower": "den Warenwert senken",
    "may.ship": "{given} liefern",
    "may.silence": "{citizen} deaktivieren",
    "may.deliver": "{given} liefern",
    "may.deliver.wood": "{given} {good:instead} liefern",
    "may.exclude": "{good} weglassen",
    "may.pass.lawyer": "verzichten",
    "may.pass.function": "nicht nutzen",
    "may.pass.deliver": "passen",
    "end": "{names} [gewinnt|gewinnst] mit {vp}",
    "end.shared": "{names} [teilen sich|teilt euch] mit {vp} den Sieg",
    "end.goods": "Je 3 übrige Waren bringen 1 SP",
    "end.tie.goods": "Die restlichen Waren entscheiden bei Gleichstand gegen {others}",
    "end.tie.pesos": "Die Pesos entscheiden bei Gleichstand gegen {others}",
    "end.faulted": "Wer einen Fehler macht, steht am Schluss, wie viele SP es auch sind",
    "end.forfeit": "Vorzeitiges Ende, weil sonst niemand mehr ohne Fehler ist: Sieg für {names}",
    "end.turns": "Das Spiel endet nach seinem letzten Zug",
    "turning.small": "Ein kleiner Fehler von [{name}|dir]; besser: {better}",
    "turning.clear": "Ein deutlicher Fehler von [{name}|dir]; besser: {better}",
    "turning.big": "Ein großer Fehler von [{name}|dir]; besser: {better}",
    "turning.find": "{name} [findet|findest] einen starken Zug, der schwer zu sehen ist",
    "turning.only": "{name} [findet|findest] den einzigen guten Zug",
    "turning.roll": "Die Würfel wenden das Spiel",
    "turning.fault": "{name} [scheidet|scheidest] aus dem Spiel aus",
    "turning.move": "Dieser Zug von [{name}|dir] wendet das Spiel",
    "turning.end": "Das Ende bringt die Entscheidung",
    "turning.rises": (
        "[Die Gewinnchance von {name}|Deine Gewinnchance] steigt von {before} auf {after}"
    ),
    "turning.falls": (
        "[Die Gewinnchance von {name}|Deine Gewinnchance] sinkt von {before} auf {after}"
    ),
}

_LABELS = {
    "colon": ": ",
    "value": "Warenwert",
    "ships": "Sieben Schiffe",
    "supply": "Vorrat",
    "demand": "Nachfrage",
    "car": "Auto",
    "harbour": "Hafen",
    "pawns": "Figuren",
    "owner": "Besitzer",
    "owners": "Besitzer",
    "silenced": "Deaktiviert",
    "turn": "Zug",
    "ship": "Schiff",
    "rank": "Platz",
    "fault": "Fehler",
    "absent": "nicht angetreten",
    "setup": "Aufbau",
    "pesos": "Pesos",
    "markers": "Besitzmarker",
    "vp": "SP",
    "race": "SP im Spielverlauf",
    "forced": "der einzig mögliche Zug",
    "caretaker": "von der Vertretung gespielt",
    "no_choice": "In diesem Moment gibt es nichts zu entscheiden.",
    "longest": "am längsten",
    "cpu": "Rechenzeit",
    "inner_bars": "schmale Balken: Rechenzeit (CPU)",
    "dice.promise": "Der Seed ist der vor der Partie zugesagte",
    "dice.rolls": "Würfe, die aus dem Seed folgen",
    "dice.draws": "Züge der Vertretung, die aus dem Seed folgen",
    "dice.commitment": "Commitment",
    "dice.seed": "Seed",
    "dice.attempt": "Versuch",
    "dice.nonce": "Nonce",
    "dice.roll": "Wurf",
    "dice.draw": "Vertretung",
}

_FEMININE = ("bank", "church", "distillery", "cigar-factory")
_MASCULINE = ("black-market", "newspaper")
_NEUTER = ("sawmill", "cafe", "customs", "casino", "harbour-office", "trading-office")

_ARTICLES = {  # after "which", "own", "to", "at"
    _FEMININE: ("die", "die eigene", "zur", "in der"),
    _MASCULINE: ("den", "den eigenen", "zum", "im"),
    _NEUTER: ("das", "das eigene", "zum", "im"),
}

_FORMS = {
    f"{building}.{form}": f"{article} {_NAMES[building]}"
    for buildings, articles in _ARTICLES.items()
    for building in buildings
    for form, article in zip(("which", "own", "to", "at"), articles, strict=True)
} | {
    "distillery.tile": "Schnaps- brennerei",
    "cigar-factory.tile": "Zigarren- fabrik",
    "black-market.tile": "Schwarz- markt",
    "newspaper.tile": "Zeitungs- verlag",
    "black-market.at": "auf dem Schwarzmarkt",
    "cafe.to": "ins Café",
    "casino.to": "ins Casino",
    **{f"{citizen}.to": f"zu {_NAMES[citizen]}" for citizen in CITIZENS},
    "harbour.to": "in den Hafen",
    "sugar.die": "den Zuckerrohrwürfel",
    "citrus.die": "den Zitruswürfel",
    "tobacco.die": "den Tabakwürfel",
    "rum.die": "den Rumwürfel",
    "cigars.die": "den Zigarrenwürfel",
    "sugar.instead": "anstelle von Zuckerrohr",
    "citrus.instead": "anstelle von Zitrusfrüchten",
    "tobacco.instead": "anstelle von Tabak",
    "rum.instead": "anstelle von Rum",
    "cigars.instead": "anstelle von Zigarren",
}

WORDS = Words(
    language="de",
    names=_NAMES,
    amounts=_AMOUNTS,
    gifts=_GIFTS,
    phrases=_PHRASES,
    labels=_LABELS,
    forms=_FORMS,
)

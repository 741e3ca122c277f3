"""English: the words that the others are translations of."""

from web.words import Words

_NAMES = {
    "sugar": "sugar",
    "citrus": "citrus",
    "tobacco": "tobacco",
    "rum": "rum",
    "cigars": "cigars",
    "wood": "wood",
    "pedro": "Pedro",
    "maria": "María",
    "jose": "José",
    "martinez": "Martínez",
    "conchita": "Conchita",
    "el-zorro": "El Zorro",
    "miguel": "Miguel",
    "pablo": "Pablo",
    "alonso": "Alonso",
    "bank": "Bank",
    "church": "Church",
    "distillery": "Distillery",
    "cigar-factory": "Cigar Factory",
    "black-market": "Black Market",
    "sawmill": "Sawmill",
    "cafe": "Café",
    "customs": "Customs",
    "casino": "Casino",
    "harbour-office": "Harbour Office",
    "trading-office": "Trading Office",
    "newspaper": "Newspaper",
    "harbour": "the harbour",
    "yellow": "yellow",
    "blue": "blue",
    "red": "red",
    "white": "white",
    "timeout": "timeout",
    "illegal-index": "illegal-index",
    "wrong-decision": "wrong-decision",
    "closed": "closed",
    "protocol": "protocol",
    "absent": "did not appear",
    "limit": "over a limit",
    "banned": "banned by the operator",
}

_AMOUNTS = {
    "sugar": ("{count} sugar", "{count} sugar"),
    "citrus": ("{count} citrus", "{count} citrus"),
    "tobacco": ("{count} tobacco", "{count} tobacco"),
    "rum": ("{count} rum", "{count} rum"),
    "cigars": ("{count} cigar", "{count} cigars"),
    "wood": ("{count} wood", "{count} wood"),
    "pesos": ("{count} peso", "{count} pesos"),
    "vp": ("{count} VP", "{count} VP"),
    "stops": ("{count} stop", "{count} stops"),
}

_GIFTS = {
    "pedro": "the tobacco merchant: 2 tobacco",
    "maria": "the dancer: 2 VP",
    "jose": "the sugar farmer: 2 sugar",
    "martinez": "the musician: 3 pesos",
    "conchita": "the fruit seller: 2 citrus",
    "el-zorro": "the pickpocket: every other player gives a peso, a good (not wood) or 1 VP",
    "miguel": "the woodcutter: 2 wood",
    "pablo": "the fence: 1 good of your choice (not wood)",
    "alonso": "the lawyer: take a free building, or use one you own",
    "bank": "2 pesos",
    "church": "1 VP",
    "distillery": "any number of sugar into as much rum",
    "cigar-factory": "any number of tobacco into as many cigars",
    "black-market": "1 good for 1 other (not wood)",
    "sawmill": "1 wood for 1 VP and 1 peso",
    "cafe": "1 rum and/or 1 cigar, 2 VP each",
    "customs": "turn one die of the ship to 0",
    "casino": "3 pesos for 1 VP, or 1 VP for 3 pesos, as often as you like",
    "harbour-office": "the ship's value one flag up or down",
    "trading-office": "deliver 1 good the ship wants for 2 VP",
    "newspaper": "1 peso, and a citizen may be silenced, who gives nothing until the car passes",
}

_PHRASES = {  # "[rolls|roll]": of others, and of the reader
    "you": "You",
    "you.act": "You",
    "you.object": "you",
    "list": "{most} and {last}",
    "sentence": "{clause}.",
    "gaining": "{clause} and [gets|get] {gains}",
    "start": "{names} sit down to play.",
    "roll": "{name} [rolls|roll] {dice}",
    "gap": "Interrupted: some moves are missing here, but the game goes on",
    "bare": "{name}: {move}",
    "drive": "{name} [drives|drive] {stops} to {place}",
    "drive.paid": "{name} [drives|drive] {stops} to {place} ({cost})",
    "drive.past": "{name} [drives|drive] {stops} past the harbour to {place} ({cost})",
    "drive.silenced": "{clause}, who is silenced",
    "drive.sold_out": "{clause}, who has nothing left",
    "pick": "{name} [takes|take] {goods} from Pablo",
    "own": "{name} [takes|take] possession of the {building}",
    "use": "{name} [uses their|use your] {building} through Alonso",
    "lawyer.pass": "{name} [asks|ask] nothing of Alonso",
    "give": "{name} [gives|give] {thing} to {other}",
    "give.you": "{name} gives you {thing}",
    "thief.visit": "{name} [gets|get] {gains} at the {building}",
    "visit": "{name} [goes|go] to the {building}",
    "visit.unused": "{clause} but cannot use it",
    "convert": "{name} [turns|turn] {given} into {gained} at the {building}",
    "swap": "{name} [swaps|swap] {given} for {gained} at the {building}",
    "sell": "{name} [gives|give] {given} to the {building}",
    "clear": "{name} [turns|turn] the {good} die to 0 at the {building}",
    "casino": "{name} [changes|change] {given} into {gained} at the {building}",
    "raise": "{name} [raises|raise] the flag at the {building}",
    "lower": "{name} [lowers|lower] the flag at the {building}",
    "ship": "{name} [ships|ship] {given} through the {building}",
    "silence": "{name} [silences|silence] {citizen} through the {building}",
    "function.pass": "{name} [leaves|leave] the {building} unused",
    "deliver": "{name} [delivers|deliver] {given}",
    "deliver.wood": "{name} [delivers|deliver] {given} in place of {good}",
    "deliver.pass": "{name} [passes|pass]",
    "deliver.nothing": "{name} [has|have] nothing to deliver",
    "demand": "{name} [leaves|leave] {good} ashore; the ship wants {demand}",
    "demand.none": "nothing",
    "value.up": "A good is now worth {value}",
    "value.down": "A good is now worth only {value}",
    "ship.new": "The ship sails, number {ship} arrives",
    "ship.last": "The last ship sails",
    "wakes": "{citizen} is awake again",
    "rent": "{name} [gets|get] {gains} as owner",
    "fault": "{name} [faults|fault] ({code}): {fault}",
    "absent": "{name} did not appear: a caretaker plays the seat.",
    # What the referee says of a fault, as it stands in replays and in the database; of several
    # that fit, the first is meant.
    "why.late": "No choice came within {limit} s.",
    "why.lost": "No choice came within {limit} s: there was no connection to it.",
    "why.unproven": (
        "No choice came within {limit} s: it did not prove that it knows the secret that the "
        "operator shares with it: was it started with SANTIAGO_SECRET?"
    ),
    "why.challenge": (
        "No choice came within {limit} s: its challenge has {given} bytes; 16 to 32 are due."
    ),
    "why.secret": (
        "No choice came within {limit} s: its proof of the shared secret is wrong: it has "
        "another secret."
    ),
    "why.index": "The bot chose index {index}; there are {count} legal moves, from 0.",
    "why.decision": "The bot answered decision {given}, but {asked} was asked.",
    "why.again": "The bot sent a second answer to decision {given}, but {asked} was asked.",
    "why.empty": "The bot sent an empty message instead of {due}.",
    "why.bytes": "The bot sent bytes that are not a PlayResponse.",
    "why.nonce": "The nonce has {given} bytes; at most {most} are allowed.",
    "why.closed": "The bot ended the stream before the game was over.",
    "why.closed.status": "The bot ended the stream before the game was over ({status}).",
    "why.long": "The bot sent too much ({status}).",
    "why.http2": "The bot sent bytes that are not HTTP/2 ({status}).",
    "why.message": "The bot sent {given} instead of {due}.",
    "why.failed": "The bot failed: {status}",
    "why.exit": "The bot's program has ended with exit code {exit}.",
    "why.memory": "It used more than its {most} MB of memory.",
    "why.threads": "It started more than its {most} threads.",
    "why.files": "It filled its {most} MB of files.",
    "why.stopped": "It computed for more than {most} s while it was stopped.",
    "why.banned": "The operator has banned the files of this bot.",
    "why.left": "The player left the table.",
    "why.busy": "The bot had no time for this game.",
    # The same of a bot that did not accept a game.
    "why.accept": "it did not accept the game within {limit} s.",
    "why.connection": "there was no connection to {address} ({status}).",
    "why.silent": "no bot describes itself at {address} ({status}): {hint}",
    "why.version": "it says that it is version {given}, and version {due} is expected.",
    "why.accept.unproven": (
        "it did not prove that it knows the secret that the operator shares with it: was it "
        "started with SANTIAGO_SECRET?"
    ),
    "why.accept.challenge": "its challenge has {given} bytes; 16 to 32 are due.",
    "why.accept.secret": "its proof of the shared secret is wrong: it has another secret.",
    "why.start": "The bot did not start: it ended with exit code {exit} before it listened.",
    "why.start.silent": "The bot did not listen on SANTIAGO_ADDRESS within its start-up time.",
    "why.start.said": (
        "The bot did not start: it ended with exit code {exit} before it listened ({said})."
    ),
    "why.start.silent.said": (
        "The bot did not listen on SANTIAGO_ADDRESS within its start-up time ({said})."
    ),
    "why.hint.gateway": "has it joined the gateway?",
    "why.hint.plain": "is it running there?",
    "why.hint.certificate": (
        "is it running there, with TLS, and a certificate that is good for its host?"
    ),
    "why.hint.tls": "is it running there, with TLS? ({setting}=1 dials it without.)",
    "why.start.served": (
        "The bot did not start: it ended with exit code {exit} before it listened. It has to "
        "wait for games: in Python and JavaScript, call `serve` at its end; a program that "
        "prints moves needs `lines:` before its command, or the runtime `lines` in its "
        "package."
    ),
    "why.start.served.said": (
        "The bot did not start: it ended with exit code {exit} before it listened. It has to "
        "wait for games: in Python and JavaScript, call `serve` at its end; a program that "
        "prints moves needs `lines:` before its command, or the runtime `lines` in its "
        "package ({said})."
    ),
    "why.start.file": (
        "The bot did not start: {program} can't be run: there is no such file, or what has "
        "to run it is missing here. The entry point of a program in the package is its path, "
        "such as ./bot."
    ),
    "why.start.mode": (
        "The bot did not start: {program} can't be run: it may not be executed: `chmod +x` "
        "allows it."
    ),
    "why.start.over.said": "The bot did not start: {over} ({said}).",
    "why.start.over": "The bot did not start: {over}",
    "why.cut.long": "The match went on for longer than its clocks allow.",
    "why.cut.gateway": ("The gateway did not answer, so that a bot behind it could not be asked."),
    "why.cut.lag": "The referee lagged for {lag} s while a bot had {limit} s.",
    "why.cut.refused": "The gateway refused this worker: {status}",
    "why.cut.line": "The line to the host broke ({status}).",
    "why.build.exit": "The build step ended with exit code {exit}.",
    "why.build.late": "It took more than {limit} seconds.",
    "why.build.cancelled": "It was cancelled.",
    "why.build.folder": "It left no folder to make a bundle of.",
    "why.build.runtime": "This host has no runtime {runtime}, only {names}.",
    "why.build.changed": "The build changed the runtime to {runtime}.",
    "why.build.unpacked": "The bundle can't be unpacked: {error}",
    "why.build.processor": (
        "The entry point {entry} is a program for another processor: compile it for Linux on "
        "{machine}."
    ),
    "why.build.foreign": (
        "The entry point {entry} is a program for {system}: compile it for Linux on {machine}."
    ),
    "why.build.entry": ("The entry point {entry} is none of the runtime {runtime}: {patterns}."),
    "why.build.deep": "{path}: more than {count} folders in each other.",
    "why.build.name": "{path}: its name has characters that can't be printed.",
    "why.build.bytes": "The bundle has more than {count} bytes.",
    "why.build.files": "The bundle has more than {count} files.",
    "why.build.read": "The bundle cannot be read: {error}.",
    "why.build.packed": "The bundle is larger than {count} bytes, packed.",
    "choices.one": "{asked}: one choice",
    "choices.other": "{asked}: {count} choices",
    "ask.drive": "How far to drive",
    "ask.pick": "What to take from Pablo",
    "ask.lawyer": "What to ask of Alonso",
    "ask.tribute": "What to give to El Zorro",
    "ask.visit": "Where to send the pawn",
    "ask.function": "What to do at the {building}",
    "ask.deliver": "What to deliver",
    "ask.demand": "Which good to leave ashore",
    "about.aim": "Whoever has the most victory points (VP) when the seventh ship has sailed wins.",
    "about.drive": (
        "The first stop is free, each further one costs 1 peso. A citizen gives what the card"
        " shows; at the harbour you can deliver to the ship."
    ),
    "about.lawyer": (
        "Whenever another player’s pawn ends a turn at a building of yours, you get 1 VP."
    ),
    "about.visit": "The pawn goes to a building with the citizen’s flower, and you may use it.",
    "about.deliver": (
        "Each good brings {value}, each wood {wood}. All deliver in turn; whoever passes is "
        "out of this round."
    ),
    "about.demand": "The ship will want the other four goods, as many as their dice show.",
    "may.drive": "drive {stops} to {place}",
    "may.drive.paid": "drive {stops} to {place} ({cost})",
    "may.take": "take {goods}",
    "may.own": "take possession of the {building}",
    "may.use": "use the {building}",
    "may.give": "give {thing}",
    "may.visit": "go to the {building}",
    "may.convert": "turn {given} into {gained}",
    "may.swap": "swap {given} for {gained}",
    "may.sell": "give {given}",
    "may.clear": "turn the {good} die to 0",
    "may.casino.buy": "buy {vp}",
    "may.casino.sell": "sell {vp}",
    "may.raise": "raise the flag",
    "may.lower": "lower the flag",
    "may.ship": "ship {given}",
    "may.silence": "silence {citizen}",
    "may.deliver": "deliver {given}",
    "may.deliver.wood": "deliver {given} in place of {good}",
    "may.exclude": "leave {good} ashore",
    "may.pass.lawyer": "ask nothing",
    "may.pass.function": "leave it unused",
    "may.pass.deliver": "pass",
    "end": "{names} [wins|win] with {vp}",
    "end.shared": "{names} share the win with {vp}",
    "end.goods": "Every 3 goods that are left bring 1 VP",
    "end.tie.goods": "The goods left over break the tie with {others}",
    "end.tie.pesos": "Pesos break the tie with {others}",
    "end.faulted": "Seats that faulted rank last, whatever their VP",
    "end.forfeit": "The game ends early; nobody else is left without a fault: {names} [wins|win]",
    "end.turns": "The game ends after its last turn",
    "turning.small": "{name} [makes|make] a small mistake; better: {better}",
    "turning.clear": "{name} [makes|make] a clear mistake; better: {better}",
    "turning.big": "{name} [makes|make] a big mistake; better: {better}",
    "turning.find": "{name} [finds|find] a strong move that is hard to see",
    "turning.only": "{name} [finds|find] the only good move",
    "turning.roll": "The dice turn the game",
    "turning.fault": "{name} [drops|drop] out of the game",
    "turning.move": "This move by [{name}|you] turns the game",
    "turning.end": "The end of the game decides it",
    "turning.rises": "[{name}’s|Your] chance to win rises from {before} to {after}",
    "turning.falls": "[{name}’s|Your] chance to win falls from {before} to {after}",
}

_LABELS = {
    "colon": ": ",
    "value": "Value of a good",
    "ships": "Seven ships",
    "supply": "Supply",
    "demand": "Wanted",
    "car": "Car",
    "harbour": "the harbour",
    "pawns": "Pawns",
    "owner": "Owner",
    "owners": "Owners",
    "silenced": "Silenced",
    "turn": "Turn",
    "ship": "Ship",
    "rank": "Rank",
    "fault": "fault",
    "absent": "did not appear",
    "setup": "Setup",
    "pesos": "pesos",
    "markers": "owner markers",
    "vp": "VP",
    "race": "VP over the game",
    "forced": "the only move",
    "caretaker": "played by the caretaker",
    "no_choice": "There is nothing to decide at this moment.",
    "longest": "longest",
    "cpu": "CPU time",
    "inner_bars": "narrow bars: CPU time",
    "dice.promise": "The seed is the one that was promised before the game",
    "dice.rolls": "Rolls that follow from the seed",
    "dice.draws": "Moves of the caretaker that follow from the seed",
    "dice.commitment": "Commitment",
    "dice.seed": "Seed",
    "dice.attempt": "Attempt",
    "dice.nonce": "Nonce",
    "dice.roll": "Roll",
    "dice.draw": "Caretaker",
}

WORDS = Words(
    language="en",
    names=_NAMES,
    amounts=_AMOUNTS,
    gifts=_GIFTS,
    phrases=_PHRASES,
    labels=_LABELS,
    point=".",
)

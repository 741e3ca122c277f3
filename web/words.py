"""The words of one language: names of the game's things and the phrases that say a move.

A translation is another `Words`: the phrases name what they need in braces, so its word order is
its own. What is said when stands in `web.narration`; how it is said stands here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Words:
    """Names and phrases of a language. An unknown name is shown as it is.

    `gifts` say what a citizen or building does; `labels` stand on the board and the page.
    """

    language: str
    names: Mapping[str, str]
    gifts: Mapping[str, str]
    phrases: Mapping[str, str]
    labels: Mapping[str, str]

    def name(self, thing: str) -> str:
        """The name of a good, citizen, building or flower."""
        return self.names.get(thing, thing)

    def say(self, phrase: str, **fields: object) -> str:
        """The phrase with its fields filled in. KeyError for a phrase the language lacks."""
        return self.phrases[phrase].format(**fields)

    def amount(self, count: int, what: str) -> str:
        """ "2 tobacco", "1 peso"; `what` is pesos, vp, stops, a good."""
        form = f"{what}.one" if count == 1 else f"{what}.other"
        return self.phrases.get(form, f"{{count}} {self.name(what)}").format(count=count)

    def listing(self, items: Sequence[str]) -> str:
        """ "a", "a and b", "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return self.say("list", most=", ".join(items[:-1]), last=items[-1])


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
    "yellow": "yellow",
    "blue": "blue",
    "red": "red",
    "white": "white",
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
    "cafe": "1 rum and/or 1 cigars, 2 VP each",
    "customs": "turn one die of the ship to 0",
    "casino": "3 pesos for 1 VP, or 1 VP for 3 pesos, as often as you like",
    "harbour-office": "the ship's value one flag up or down",
    "trading-office": "deliver 1 good the ship wants for 2 VP",
    "newspaper": "1 peso, and a citizen may be silenced",
}

_PHRASES = {
    "list": "{most} and {last}",
    "sentence": "{clause}.",
    "gaining": "{clause} and gets {gains}",
    "cigars.one": "{count} cigar",
    "cigars.other": "{count} cigars",
    "pesos.one": "{count} peso",
    "pesos.other": "{count} pesos",
    "vp.other": "{count} VP",
    "vp.one": "{count} VP",
    "stops.one": "{count} stop",
    "stops.other": "{count} stops",
    "start": "{names} sit down to play.",
    "roll": "{name} rolls {dice}",
    "gap": "Interrupted: some moves are missing here, but the game goes on",
    "bare": "{name}: {move}",
    "drive": "{name} drives {stops} to {place}",
    "drive.paid": "{name} drives {stops} to {place} ({cost})",
    "drive.silenced": "{clause}, who is silenced",
    "drive.sold_out": "{clause}, who has nothing left",
    "harbour": "the harbour",
    "pick": "{name} takes {goods} from Pablo",
    "own": "{name} takes possession of the {building}",
    "use": "{name} uses their {building} through Alonso",
    "lawyer.pass": "{name} asks nothing of Alonso",
    "give": "{name} gives {thing} to {other}",
    "visit": "{name} goes to the {building}",
    "convert": "{name} turns {given} into {gained} at the {building}",
    "swap": "{name} swaps {given} for {gained} at the {building}",
    "sell": "{name} gives {given} to the {building}",
    "clear": "{name} turns the {good} die to 0 at the {building}",
    "casino": "{name} changes {given} into {gained} at the {building}",
    "raise": "{name} raises the flag at the {building}",
    "lower": "{name} lowers the flag at the {building}",
    "ship": "{name} ships {given} through the {building}",
    "silence": "{name} silences {citizen} through the {building}",
    "function.pass": "{name} leaves the {building} unused",
    "deliver": "{name} delivers {given}",
    "deliver.wood": "{name} delivers {given} in place of {good}",
    "deliver.pass": "{name} passes",
    "deliver.nothing": "{name} has nothing to deliver",
    "demand": "{name} leaves {good} ashore; the ship wants {demand}",
    "demand.none": "nothing",
    "value.up": "A good is now worth {value}",
    "value.down": "A good is now worth only {value}",
    "ship.new": "The ship sails, number {ship} arrives",
    "ship.last": "The last ship sails",
    "wakes": "{citizen} is awake again",
    "rent": "{name} gets {gains} as owner",
    "fault": "{name} faults ({code}): {fault}",
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
    "end": "{names} wins with {vp}",
    "end.shared": "{names} share the win with {vp}",
    "end.forfeit": "The game ends early, since too many have faulted: {names} wins",
    "end.turns": "The game ends after its last turn",
}

_LABELS = {
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
    "setup": "Setup",
    "pesos": "pesos",
    "markers": "owner markers",
    "vp": "VP",
    "race": "VP over the game",
    "forced": "the only move",
    "caretaker": "played by the caretaker",
    "no_choice": "There is nothing to decide at this moment.",
}

ENGLISH = Words(
    language="en",
    names=MappingProxyType(_NAMES),
    gifts=MappingProxyType(_GIFTS),
    phrases=MappingProxyType(_PHRASES),
    labels=MappingProxyType(_LABELS),
)

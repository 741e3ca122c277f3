# Generated from proto/santiago/v1/game.proto by proto/generate.py (make proto). Do not edit.
# mypy: ignore-errors
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Good(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GOOD_UNSPECIFIED: _ClassVar[Good]
    GOOD_SUGAR: _ClassVar[Good]
    GOOD_CITRUS: _ClassVar[Good]
    GOOD_TOBACCO: _ClassVar[Good]
    GOOD_RUM: _ClassVar[Good]
    GOOD_CIGARS: _ClassVar[Good]
    GOOD_WOOD: _ClassVar[Good]

class Citizen(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CITIZEN_UNSPECIFIED: _ClassVar[Citizen]
    CITIZEN_PEDRO: _ClassVar[Citizen]
    CITIZEN_MARIA: _ClassVar[Citizen]
    CITIZEN_JOSE: _ClassVar[Citizen]
    CITIZEN_MARTINEZ: _ClassVar[Citizen]
    CITIZEN_CONCHITA: _ClassVar[Citizen]
    CITIZEN_MIGUEL: _ClassVar[Citizen]
    CITIZEN_EL_ZORRO: _ClassVar[Citizen]
    CITIZEN_PABLO: _ClassVar[Citizen]
    CITIZEN_ALONSO: _ClassVar[Citizen]

class Building(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BUILDING_UNSPECIFIED: _ClassVar[Building]
    BUILDING_BANK: _ClassVar[Building]
    BUILDING_CHURCH: _ClassVar[Building]
    BUILDING_DISTILLERY: _ClassVar[Building]
    BUILDING_CIGAR_FACTORY: _ClassVar[Building]
    BUILDING_BLACK_MARKET: _ClassVar[Building]
    BUILDING_SAWMILL: _ClassVar[Building]
    BUILDING_CAFE: _ClassVar[Building]
    BUILDING_CUSTOMS: _ClassVar[Building]
    BUILDING_CASINO: _ClassVar[Building]
    BUILDING_HARBOUR_OFFICE: _ClassVar[Building]
    BUILDING_TRADING_OFFICE: _ClassVar[Building]
    BUILDING_NEWSPAPER: _ClassVar[Building]

class Flower(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FLOWER_UNSPECIFIED: _ClassVar[Flower]
    FLOWER_YELLOW: _ClassVar[Flower]
    FLOWER_BLUE: _ClassVar[Flower]
    FLOWER_RED: _ClassVar[Flower]
    FLOWER_WHITE: _ClassVar[Flower]

class DecisionKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_KIND_UNSPECIFIED: _ClassVar[DecisionKind]
    DECISION_KIND_DRIVE: _ClassVar[DecisionKind]
    DECISION_KIND_VISIT: _ClassVar[DecisionKind]
    DECISION_KIND_FUNCTION: _ClassVar[DecisionKind]
    DECISION_KIND_DELIVER: _ClassVar[DecisionKind]
    DECISION_KIND_PICK: _ClassVar[DecisionKind]
    DECISION_KIND_LAWYER: _ClassVar[DecisionKind]
    DECISION_KIND_TRIBUTE: _ClassVar[DecisionKind]
    DECISION_KIND_DEMAND: _ClassVar[DecisionKind]

class Verb(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERB_UNSPECIFIED: _ClassVar[Verb]
    VERB_DRIVE: _ClassVar[Verb]
    VERB_TAKE: _ClassVar[Verb]
    VERB_OWN: _ClassVar[Verb]
    VERB_USE: _ClassVar[Verb]
    VERB_GIVE: _ClassVar[Verb]
    VERB_VISIT: _ClassVar[Verb]
    VERB_CONVERT: _ClassVar[Verb]
    VERB_SWAP: _ClassVar[Verb]
    VERB_SELL_WOOD: _ClassVar[Verb]
    VERB_SERVE: _ClassVar[Verb]
    VERB_CLEAR: _ClassVar[Verb]
    VERB_BUY: _ClassVar[Verb]
    VERB_SELL: _ClassVar[Verb]
    VERB_RAISE: _ClassVar[Verb]
    VERB_LOWER: _ClassVar[Verb]
    VERB_SHIP: _ClassVar[Verb]
    VERB_SILENCE: _ClassVar[Verb]
    VERB_DELIVER: _ClassVar[Verb]
    VERB_DELIVER_WOOD: _ClassVar[Verb]
    VERB_EXCLUDE: _ClassVar[Verb]

class Gift(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GIFT_UNSPECIFIED: _ClassVar[Gift]
    GIFT_PESO: _ClassVar[Gift]
    GIFT_VP: _ClassVar[Gift]

class MadeBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MADE_BY_UNSPECIFIED: _ClassVar[MadeBy]
    MADE_BY_BOT: _ClassVar[MadeBy]
    MADE_BY_REFEREE: _ClassVar[MadeBy]
    MADE_BY_CARETAKER: _ClassVar[MadeBy]

class FaultCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_CODE_UNSPECIFIED: _ClassVar[FaultCode]
    FAULT_CODE_TIMEOUT: _ClassVar[FaultCode]
    FAULT_CODE_ILLEGAL_INDEX: _ClassVar[FaultCode]
    FAULT_CODE_WRONG_DECISION: _ClassVar[FaultCode]
    FAULT_CODE_CLOSED: _ClassVar[FaultCode]
    FAULT_CODE_PROTOCOL: _ClassVar[FaultCode]
    FAULT_CODE_ABSENT: _ClassVar[FaultCode]
    FAULT_CODE_LIMIT: _ClassVar[FaultCode]
    FAULT_CODE_BANNED: _ClassVar[FaultCode]

class EndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    END_REASON_UNSPECIFIED: _ClassVar[EndReason]
    END_REASON_SHIPS: _ClassVar[EndReason]
    END_REASON_TURNS: _ClassVar[EndReason]
    END_REASON_FORFEIT: _ClassVar[EndReason]
GOOD_UNSPECIFIED: Good
GOOD_SUGAR: Good
GOOD_CITRUS: Good
GOOD_TOBACCO: Good
GOOD_RUM: Good
GOOD_CIGARS: Good
GOOD_WOOD: Good
CITIZEN_UNSPECIFIED: Citizen
CITIZEN_PEDRO: Citizen
CITIZEN_MARIA: Citizen
CITIZEN_JOSE: Citizen
CITIZEN_MARTINEZ: Citizen
CITIZEN_CONCHITA: Citizen
CITIZEN_MIGUEL: Citizen
CITIZEN_EL_ZORRO: Citizen
CITIZEN_PABLO: Citizen
CITIZEN_ALONSO: Citizen
BUILDING_UNSPECIFIED: Building
BUILDING_BANK: Building
BUILDING_CHURCH: Building
BUILDING_DISTILLERY: Building
BUILDING_CIGAR_FACTORY: Building
BUILDING_BLACK_MARKET: Building
BUILDING_SAWMILL: Building
BUILDING_CAFE: Building
BUILDING_CUSTOMS: Building
BUILDING_CASINO: Building
BUILDING_HARBOUR_OFFICE: Building
BUILDING_TRADING_OFFICE: Building
BUILDING_NEWSPAPER: Building
FLOWER_UNSPECIFIED: Flower
FLOWER_YELLOW: Flower
FLOWER_BLUE: Flower
FLOWER_RED: Flower
FLOWER_WHITE: Flower
DECISION_KIND_UNSPECIFIED: DecisionKind
DECISION_KIND_DRIVE: DecisionKind
DECISION_KIND_VISIT: DecisionKind
DECISION_KIND_FUNCTION: DecisionKind
DECISION_KIND_DELIVER: DecisionKind
DECISION_KIND_PICK: DecisionKind
DECISION_KIND_LAWYER: DecisionKind
DECISION_KIND_TRIBUTE: DecisionKind
DECISION_KIND_DEMAND: DecisionKind
VERB_UNSPECIFIED: Verb
VERB_DRIVE: Verb
VERB_TAKE: Verb
VERB_OWN: Verb
VERB_USE: Verb
VERB_GIVE: Verb
VERB_VISIT: Verb
VERB_CONVERT: Verb
VERB_SWAP: Verb
VERB_SELL_WOOD: Verb
VERB_SERVE: Verb
VERB_CLEAR: Verb
VERB_BUY: Verb
VERB_SELL: Verb
VERB_RAISE: Verb
VERB_LOWER: Verb
VERB_SHIP: Verb
VERB_SILENCE: Verb
VERB_DELIVER: Verb
VERB_DELIVER_WOOD: Verb
VERB_EXCLUDE: Verb
GIFT_UNSPECIFIED: Gift
GIFT_PESO: Gift
GIFT_VP: Gift
MADE_BY_UNSPECIFIED: MadeBy
MADE_BY_BOT: MadeBy
MADE_BY_REFEREE: MadeBy
MADE_BY_CARETAKER: MadeBy
FAULT_CODE_UNSPECIFIED: FaultCode
FAULT_CODE_TIMEOUT: FaultCode
FAULT_CODE_ILLEGAL_INDEX: FaultCode
FAULT_CODE_WRONG_DECISION: FaultCode
FAULT_CODE_CLOSED: FaultCode
FAULT_CODE_PROTOCOL: FaultCode
FAULT_CODE_ABSENT: FaultCode
FAULT_CODE_LIMIT: FaultCode
FAULT_CODE_BANNED: FaultCode
END_REASON_UNSPECIFIED: EndReason
END_REASON_SHIPS: EndReason
END_REASON_TURNS: EndReason
END_REASON_FORFEIT: EndReason

class Setup(_message.Message):
    __slots__ = ("citizens", "buildings", "space_flowers", "citizen_flowers")
    CITIZENS_FIELD_NUMBER: _ClassVar[int]
    BUILDINGS_FIELD_NUMBER: _ClassVar[int]
    SPACE_FLOWERS_FIELD_NUMBER: _ClassVar[int]
    CITIZEN_FLOWERS_FIELD_NUMBER: _ClassVar[int]
    citizens: _containers.RepeatedScalarFieldContainer[Citizen]
    buildings: _containers.RepeatedScalarFieldContainer[Building]
    space_flowers: _containers.RepeatedScalarFieldContainer[Flower]
    citizen_flowers: _containers.RepeatedScalarFieldContainer[Flower]
    def __init__(self, citizens: _Optional[_Iterable[_Union[Citizen, str]]] = ..., buildings: _Optional[_Iterable[_Union[Building, str]]] = ..., space_flowers: _Optional[_Iterable[_Union[Flower, str]]] = ..., citizen_flowers: _Optional[_Iterable[_Union[Flower, str]]] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("move_limit_ms", "bank_ms", "increment_ms", "start_up_ms")
    MOVE_LIMIT_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    START_UP_MS_FIELD_NUMBER: _ClassVar[int]
    move_limit_ms: int
    bank_ms: int
    increment_ms: int
    start_up_ms: int
    def __init__(self, move_limit_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., start_up_ms: _Optional[int] = ...) -> None: ...

class Goods(_message.Message):
    __slots__ = ("sugar", "citrus", "tobacco", "rum", "cigars", "wood")
    SUGAR_FIELD_NUMBER: _ClassVar[int]
    CITRUS_FIELD_NUMBER: _ClassVar[int]
    TOBACCO_FIELD_NUMBER: _ClassVar[int]
    RUM_FIELD_NUMBER: _ClassVar[int]
    CIGARS_FIELD_NUMBER: _ClassVar[int]
    WOOD_FIELD_NUMBER: _ClassVar[int]
    sugar: int
    citrus: int
    tobacco: int
    rum: int
    cigars: int
    wood: int
    def __init__(self, sugar: _Optional[int] = ..., citrus: _Optional[int] = ..., tobacco: _Optional[int] = ..., rum: _Optional[int] = ..., cigars: _Optional[int] = ..., wood: _Optional[int] = ...) -> None: ...

class Demand(_message.Message):
    __slots__ = ("wanted", "excluded")
    WANTED_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_FIELD_NUMBER: _ClassVar[int]
    wanted: Goods
    excluded: Good
    def __init__(self, wanted: _Optional[_Union[Goods, _Mapping]] = ..., excluded: _Optional[_Union[Good, str]] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("pesos", "vp", "goods", "pawn", "markers")
    PESOS_FIELD_NUMBER: _ClassVar[int]
    VP_FIELD_NUMBER: _ClassVar[int]
    GOODS_FIELD_NUMBER: _ClassVar[int]
    PAWN_FIELD_NUMBER: _ClassVar[int]
    MARKERS_FIELD_NUMBER: _ClassVar[int]
    pesos: int
    vp: int
    goods: Goods
    pawn: Building
    markers: int
    def __init__(self, pesos: _Optional[int] = ..., vp: _Optional[int] = ..., goods: _Optional[_Union[Goods, _Mapping]] = ..., pawn: _Optional[_Union[Building, str]] = ..., markers: _Optional[int] = ...) -> None: ...

class Ownership(_message.Message):
    __slots__ = ("building", "seat")
    BUILDING_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    building: Building
    seat: int
    def __init__(self, building: _Optional[_Union[Building, str]] = ..., seat: _Optional[int] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("ship", "value", "demand", "car", "silenced", "supply", "owners", "active", "turn", "players", "dice", "function", "through_alonso", "in_round")
    SHIP_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    DEMAND_FIELD_NUMBER: _ClassVar[int]
    CAR_FIELD_NUMBER: _ClassVar[int]
    SILENCED_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    OWNERS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    THROUGH_ALONSO_FIELD_NUMBER: _ClassVar[int]
    IN_ROUND_FIELD_NUMBER: _ClassVar[int]
    ship: int
    value: int
    demand: Demand
    car: int
    silenced: _containers.RepeatedScalarFieldContainer[Citizen]
    supply: Goods
    owners: _containers.RepeatedCompositeFieldContainer[Ownership]
    active: int
    turn: int
    players: _containers.RepeatedCompositeFieldContainer[Player]
    dice: Goods
    function: Building
    through_alonso: bool
    in_round: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, ship: _Optional[int] = ..., value: _Optional[int] = ..., demand: _Optional[_Union[Demand, _Mapping]] = ..., car: _Optional[int] = ..., silenced: _Optional[_Iterable[_Union[Citizen, str]]] = ..., supply: _Optional[_Union[Goods, _Mapping]] = ..., owners: _Optional[_Iterable[_Union[Ownership, _Mapping]]] = ..., active: _Optional[int] = ..., turn: _Optional[int] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., dice: _Optional[_Union[Goods, _Mapping]] = ..., function: _Optional[_Union[Building, str]] = ..., through_alonso: _Optional[bool] = ..., in_round: _Optional[_Iterable[int]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("action", "text", "verb", "count", "good", "other_good", "building", "citizen", "gift")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    VERB_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    GOOD_FIELD_NUMBER: _ClassVar[int]
    OTHER_GOOD_FIELD_NUMBER: _ClassVar[int]
    BUILDING_FIELD_NUMBER: _ClassVar[int]
    CITIZEN_FIELD_NUMBER: _ClassVar[int]
    GIFT_FIELD_NUMBER: _ClassVar[int]
    action: int
    text: str
    verb: Verb
    count: int
    good: Good
    other_good: Good
    building: Building
    citizen: Citizen
    gift: Gift
    def __init__(self, action: _Optional[int] = ..., text: _Optional[str] = ..., verb: _Optional[_Union[Verb, str]] = ..., count: _Optional[int] = ..., good: _Optional[_Union[Good, str]] = ..., other_good: _Optional[_Union[Good, str]] = ..., building: _Optional[_Union[Building, str]] = ..., citizen: _Optional[_Union[Citizen, str]] = ..., gift: _Optional[_Union[Gift, str]] = ...) -> None: ...

class Roll(_message.Message):
    __slots__ = ("seat", "dice")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    dice: Goods
    def __init__(self, seat: _Optional[int] = ..., dice: _Optional[_Union[Goods, _Mapping]] = ...) -> None: ...

class MoveMade(_message.Message):
    __slots__ = ("seat", "action", "text", "by")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    seat: int
    action: int
    text: str
    by: MadeBy
    def __init__(self, seat: _Optional[int] = ..., action: _Optional[int] = ..., text: _Optional[str] = ..., by: _Optional[_Union[MadeBy, str]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("seat", "code", "sentence", "received", "received_length", "decision_id", "time_left_ms", "bank_left_ms", "think_us")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_LENGTH_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_LEFT_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_LEFT_MS_FIELD_NUMBER: _ClassVar[int]
    THINK_US_FIELD_NUMBER: _ClassVar[int]
    seat: int
    code: FaultCode
    sentence: str
    received: bytes
    received_length: int
    decision_id: int
    time_left_ms: int
    bank_left_ms: int
    think_us: int
    def __init__(self, seat: _Optional[int] = ..., code: _Optional[_Union[FaultCode, str]] = ..., sentence: _Optional[str] = ..., received: _Optional[bytes] = ..., received_length: _Optional[int] = ..., decision_id: _Optional[int] = ..., time_left_ms: _Optional[int] = ..., bank_left_ms: _Optional[int] = ..., think_us: _Optional[int] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("roll", "move", "fault")
    ROLL_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    roll: Roll
    move: MoveMade
    fault: Fault
    def __init__(self, roll: _Optional[_Union[Roll, _Mapping]] = ..., move: _Optional[_Union[MoveMade, _Mapping]] = ..., fault: _Optional[_Union[Fault, _Mapping]] = ...) -> None: ...

class Score(_message.Message):
    __slots__ = ("seat", "vp", "leftover", "pesos", "rank")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VP_FIELD_NUMBER: _ClassVar[int]
    LEFTOVER_FIELD_NUMBER: _ClassVar[int]
    PESOS_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    seat: int
    vp: int
    leftover: int
    pesos: int
    rank: int
    def __init__(self, seat: _Optional[int] = ..., vp: _Optional[int] = ..., leftover: _Optional[int] = ..., pesos: _Optional[int] = ..., rank: _Optional[int] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("reason", "ranks", "scores")
    REASON_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    reason: EndReason
    ranks: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedCompositeFieldContainer[Score]
    def __init__(self, reason: _Optional[_Union[EndReason, str]] = ..., ranks: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[_Union[Score, _Mapping]]] = ...) -> None: ...

class Note(_message.Message):
    __slots__ = ("chances", "line", "text")
    CHANCES_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    chances: _containers.RepeatedScalarFieldContainer[float]
    line: _containers.RepeatedScalarFieldContainer[str]
    text: str
    def __init__(self, chances: _Optional[_Iterable[float]] = ..., line: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ...) -> None: ...

# Generated from proto/santiago/v1/bot.proto by proto/generate.py (make proto). Do not edit.
# mypy: ignore-errors
from referee.wire import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DescribeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("name", "version", "author", "language", "protocol_version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    author: str
    language: str
    protocol_version: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., author: _Optional[str] = ..., language: _Optional[str] = ..., protocol_version: _Optional[int] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("events", "start", "decision", "fault", "end", "proof")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_game_pb2.Event]
    start: GameStart
    decision: Decision
    fault: _game_pb2.Fault
    end: GameEnd
    proof: bytes
    def __init__(self, events: _Optional[_Iterable[_Union[_game_pb2.Event, _Mapping]]] = ..., start: _Optional[_Union[GameStart, _Mapping]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., fault: _Optional[_Union[_game_pb2.Fault, _Mapping]] = ..., end: _Optional[_Union[GameEnd, _Mapping]] = ..., proof: _Optional[bytes] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("accept", "choice")
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    accept: Accept
    choice: Choice
    def __init__(self, accept: _Optional[_Union[Accept, _Mapping]] = ..., choice: _Optional[_Union[Choice, _Mapping]] = ...) -> None: ...

class GameStart(_message.Message):
    __slots__ = ("match_id", "attempt", "seat", "players", "setup", "clock", "dice_commitment", "rules_version", "resumed", "challenge")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    SETUP_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    DICE_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    seat: int
    players: int
    setup: _game_pb2.Setup
    clock: _game_pb2.Clock
    dice_commitment: bytes
    rules_version: int
    resumed: bool
    challenge: bytes
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., seat: _Optional[int] = ..., players: _Optional[int] = ..., setup: _Optional[_Union[_game_pb2.Setup, _Mapping]] = ..., clock: _Optional[_Union[_game_pb2.Clock, _Mapping]] = ..., dice_commitment: _Optional[bytes] = ..., rules_version: _Optional[int] = ..., resumed: _Optional[bool] = ..., challenge: _Optional[bytes] = ...) -> None: ...

class Accept(_message.Message):
    __slots__ = ("nonce", "challenge", "proof")
    NONCE_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    nonce: bytes
    challenge: bytes
    proof: bytes
    def __init__(self, nonce: _Optional[bytes] = ..., challenge: _Optional[bytes] = ..., proof: _Optional[bytes] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("id", "kind", "view", "legal", "time_left_ms", "bank_left_ms")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    TIME_LEFT_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_LEFT_MS_FIELD_NUMBER: _ClassVar[int]
    id: int
    kind: _game_pb2.DecisionKind
    view: _game_pb2.View
    legal: _containers.RepeatedCompositeFieldContainer[_game_pb2.Move]
    time_left_ms: int
    bank_left_ms: int
    def __init__(self, id: _Optional[int] = ..., kind: _Optional[_Union[_game_pb2.DecisionKind, str]] = ..., view: _Optional[_Union[_game_pb2.View, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[_game_pb2.Move, _Mapping]]] = ..., time_left_ms: _Optional[int] = ..., bank_left_ms: _Optional[int] = ...) -> None: ...

class Choice(_message.Message):
    __slots__ = ("decision_id", "index", "note")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    decision_id: int
    index: int
    note: _game_pb2.Note
    def __init__(self, decision_id: _Optional[int] = ..., index: _Optional[int] = ..., note: _Optional[_Union[_game_pb2.Note, _Mapping]] = ...) -> None: ...

class GameEnd(_message.Message):
    __slots__ = ("result", "dice_seed", "nonces")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    DICE_SEED_FIELD_NUMBER: _ClassVar[int]
    NONCES_FIELD_NUMBER: _ClassVar[int]
    result: _game_pb2.Result
    dice_seed: bytes
    nonces: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, result: _Optional[_Union[_game_pb2.Result, _Mapping]] = ..., dice_seed: _Optional[bytes] = ..., nonces: _Optional[_Iterable[bytes]] = ...) -> None: ...

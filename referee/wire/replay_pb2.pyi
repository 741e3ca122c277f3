# Generated from proto/santiago/v1/replay.proto by proto/generate.py (make proto). Do not edit.
# mypy: ignore-errors
from referee.wire import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Replay(_message.Message):
    __slots__ = ("rules_version", "match_id", "attempt", "setup", "seats", "clock", "dice_commitment", "dice_seed", "entries", "result", "plays_on")
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SETUP_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    DICE_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    DICE_SEED_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PLAYS_ON_FIELD_NUMBER: _ClassVar[int]
    rules_version: int
    match_id: str
    attempt: int
    setup: _game_pb2.Setup
    seats: _containers.RepeatedCompositeFieldContainer[ReplaySeat]
    clock: _game_pb2.Clock
    dice_commitment: bytes
    dice_seed: bytes
    entries: _containers.RepeatedCompositeFieldContainer[Entry]
    result: _game_pb2.Result
    plays_on: bool
    def __init__(self, rules_version: _Optional[int] = ..., match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., setup: _Optional[_Union[_game_pb2.Setup, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[ReplaySeat, _Mapping]]] = ..., clock: _Optional[_Union[_game_pb2.Clock, _Mapping]] = ..., dice_commitment: _Optional[bytes] = ..., dice_seed: _Optional[bytes] = ..., entries: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ..., result: _Optional[_Union[_game_pb2.Result, _Mapping]] = ..., plays_on: _Optional[bool] = ...) -> None: ...

class ReplaySeat(_message.Message):
    __slots__ = ("name", "version", "author", "nonce", "start_up_us")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    START_UP_US_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    author: str
    nonce: bytes
    start_up_us: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., author: _Optional[str] = ..., nonce: _Optional[bytes] = ..., start_up_us: _Optional[int] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("roll", "chosen", "fault")
    ROLL_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    roll: _game_pb2.Roll
    chosen: Chosen
    fault: _game_pb2.Fault
    def __init__(self, roll: _Optional[_Union[_game_pb2.Roll, _Mapping]] = ..., chosen: _Optional[_Union[Chosen, _Mapping]] = ..., fault: _Optional[_Union[_game_pb2.Fault, _Mapping]] = ...) -> None: ...

class Chosen(_message.Message):
    __slots__ = ("seat", "action", "by", "think_us", "overhead_us", "cpu_us", "note")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    THINK_US_FIELD_NUMBER: _ClassVar[int]
    OVERHEAD_US_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    action: int
    by: _game_pb2.MadeBy
    think_us: int
    overhead_us: int
    cpu_us: int
    note: _game_pb2.Note
    def __init__(self, seat: _Optional[int] = ..., action: _Optional[int] = ..., by: _Optional[_Union[_game_pb2.MadeBy, str]] = ..., think_us: _Optional[int] = ..., overhead_us: _Optional[int] = ..., cpu_us: _Optional[int] = ..., note: _Optional[_Union[_game_pb2.Note, _Mapping]] = ...) -> None: ...

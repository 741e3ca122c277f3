# Generated from proto/santiago/v1/gateway.proto by proto/generate.py (make proto). Do not edit.
# mypy: ignore-errors
from referee.wire import bot_pb2 as _bot_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OfferRequest(_message.Message):
    __slots__ = ("token", "slots", "description", "instance")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    token: str
    slots: int
    description: _bot_pb2.DescribeResponse
    instance: str
    def __init__(self, token: _Optional[str] = ..., slots: _Optional[int] = ..., description: _Optional[_Union[_bot_pb2.DescribeResponse, _Mapping]] = ..., instance: _Optional[str] = ...) -> None: ...

class OfferResponse(_message.Message):
    __slots__ = ("name", "ticket")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    name: str
    ticket: str
    def __init__(self, name: _Optional[str] = ..., ticket: _Optional[str] = ...) -> None: ...

class ServeRequest(_message.Message):
    __slots__ = ("ticket", "message", "ending")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ticket: str
    message: bytes
    ending: Ending
    def __init__(self, ticket: _Optional[str] = ..., message: _Optional[bytes] = ..., ending: _Optional[_Union[Ending, _Mapping]] = ...) -> None: ...

class Ending(_message.Message):
    __slots__ = ("error", "too_much")
    ERROR_FIELD_NUMBER: _ClassVar[int]
    TOO_MUCH_FIELD_NUMBER: _ClassVar[int]
    error: str
    too_much: bool
    def __init__(self, error: _Optional[str] = ..., too_much: _Optional[bool] = ...) -> None: ...

class ServeResponse(_message.Message):
    __slots__ = ("message", "closed")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    message: bytes
    closed: Closed
    def __init__(self, message: _Optional[bytes] = ..., closed: _Optional[_Union[Closed, _Mapping]] = ...) -> None: ...

class Closed(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ChallengeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ChallengeResponse(_message.Message):
    __slots__ = ("challenge",)
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    challenge: bytes
    def __init__(self, challenge: _Optional[bytes] = ...) -> None: ...

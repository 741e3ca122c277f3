# Generated from proto/santiago/v1/host.proto by proto/generate.py (make proto). Do not edit.
# mypy: ignore-errors
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StatusRequest(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: str
    def __init__(self, seat: _Optional[str] = ...) -> None: ...

class StatusResponse(_message.Message):
    __slots__ = ("release", "processors", "most_sandboxes", "sandboxes", "warm", "thinking", "waiting", "building", "cache_bytes", "most_cache_bytes", "draining", "runtimes", "guards", "missing", "waited_us")
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    MOST_SANDBOXES_FIELD_NUMBER: _ClassVar[int]
    SANDBOXES_FIELD_NUMBER: _ClassVar[int]
    WARM_FIELD_NUMBER: _ClassVar[int]
    THINKING_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    BUILDING_FIELD_NUMBER: _ClassVar[int]
    CACHE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MOST_CACHE_BYTES_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    GUARDS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    WAITED_US_FIELD_NUMBER: _ClassVar[int]
    release: str
    processors: int
    most_sandboxes: int
    sandboxes: int
    warm: int
    thinking: int
    waiting: int
    building: int
    cache_bytes: int
    most_cache_bytes: int
    draining: bool
    runtimes: _containers.RepeatedScalarFieldContainer[str]
    guards: _containers.RepeatedScalarFieldContainer[str]
    missing: str
    waited_us: int
    def __init__(self, release: _Optional[str] = ..., processors: _Optional[int] = ..., most_sandboxes: _Optional[int] = ..., sandboxes: _Optional[int] = ..., warm: _Optional[int] = ..., thinking: _Optional[int] = ..., waiting: _Optional[int] = ..., building: _Optional[int] = ..., cache_bytes: _Optional[int] = ..., most_cache_bytes: _Optional[int] = ..., draining: _Optional[bool] = ..., runtimes: _Optional[_Iterable[str]] = ..., guards: _Optional[_Iterable[str]] = ..., missing: _Optional[str] = ..., waited_us: _Optional[int] = ...) -> None: ...

class StoreRequest(_message.Message):
    __slots__ = ("sha256", "chunk")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    chunk: bytes
    def __init__(self, sha256: _Optional[bytes] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class StoreResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BuildRequest(_message.Message):
    __slots__ = ("sha256", "within_ms")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    within_ms: int
    def __init__(self, sha256: _Optional[bytes] = ..., within_ms: _Optional[int] = ...) -> None: ...

class BuildResponse(_message.Message):
    __slots__ = ("line", "failed", "refused", "missing", "built", "chunk")
    LINE_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    BUILT_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    line: str
    failed: str
    refused: str
    missing: MissingBlob
    built: Bundle
    chunk: bytes
    def __init__(self, line: _Optional[str] = ..., failed: _Optional[str] = ..., refused: _Optional[str] = ..., missing: _Optional[_Union[MissingBlob, _Mapping]] = ..., built: _Optional[_Union[Bundle, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class MissingBlob(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Bundle(_message.Message):
    __slots__ = ("sha256", "size", "differences")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    size: int
    differences: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, sha256: _Optional[bytes] = ..., size: _Optional[int] = ..., differences: _Optional[_Iterable[str]] = ...) -> None: ...

class OpenRequest(_message.Message):
    __slots__ = ("sha256", "bot", "version", "start_up_ms", "fresh")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    START_UP_MS_FIELD_NUMBER: _ClassVar[int]
    FRESH_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    bot: str
    version: str
    start_up_ms: int
    fresh: bool
    def __init__(self, sha256: _Optional[bytes] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., start_up_ms: _Optional[int] = ..., fresh: _Optional[bool] = ...) -> None: ...

class OpenResponse(_message.Message):
    __slots__ = ("opened", "missing", "failed", "refused", "output", "errors")
    OPENED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    opened: Opened
    missing: MissingBlob
    failed: str
    refused: str
    output: bytes
    errors: bytes
    def __init__(self, opened: _Optional[_Union[Opened, _Mapping]] = ..., missing: _Optional[_Union[MissingBlob, _Mapping]] = ..., failed: _Optional[str] = ..., refused: _Optional[str] = ..., output: _Optional[bytes] = ..., errors: _Optional[bytes] = ...) -> None: ...

class Opened(_message.Message):
    __slots__ = ("seat", "warm", "start_us")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WARM_FIELD_NUMBER: _ClassVar[int]
    START_US_FIELD_NUMBER: _ClassVar[int]
    seat: str
    warm: bool
    start_us: int
    def __init__(self, seat: _Optional[str] = ..., warm: _Optional[bool] = ..., start_us: _Optional[int] = ...) -> None: ...

class SitRequest(_message.Message):
    __slots__ = ("seat", "asked", "farewell")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    FAREWELL_FIELD_NUMBER: _ClassVar[int]
    seat: str
    asked: bytes
    farewell: bytes
    def __init__(self, seat: _Optional[str] = ..., asked: _Optional[bytes] = ..., farewell: _Optional[bytes] = ...) -> None: ...

class SitResponse(_message.Message):
    __slots__ = ("granted", "answer", "over", "ended", "cpu_us", "think_us", "banned")
    GRANTED_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    THINK_US_FIELD_NUMBER: _ClassVar[int]
    BANNED_FIELD_NUMBER: _ClassVar[int]
    granted: Granted
    answer: bytes
    over: str
    ended: StreamEnd
    cpu_us: int
    think_us: int
    banned: bool
    def __init__(self, granted: _Optional[_Union[Granted, _Mapping]] = ..., answer: _Optional[bytes] = ..., over: _Optional[str] = ..., ended: _Optional[_Union[StreamEnd, _Mapping]] = ..., cpu_us: _Optional[int] = ..., think_us: _Optional[int] = ..., banned: _Optional[bool] = ...) -> None: ...

class Granted(_message.Message):
    __slots__ = ("waited_us",)
    WAITED_US_FIELD_NUMBER: _ClassVar[int]
    waited_us: int
    def __init__(self, waited_us: _Optional[int] = ...) -> None: ...

class StreamEnd(_message.Message):
    __slots__ = ("code", "details", "exited")
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    EXITED_FIELD_NUMBER: _ClassVar[int]
    code: int
    details: str
    exited: str
    def __init__(self, code: _Optional[int] = ..., details: _Optional[str] = ..., exited: _Optional[str] = ...) -> None: ...

class CloseRequest(_message.Message):
    __slots__ = ("seat", "end")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    seat: str
    end: bool
    def __init__(self, seat: _Optional[str] = ..., end: _Optional[bool] = ...) -> None: ...

class CloseResponse(_message.Message):
    __slots__ = ("output", "peak_memory", "cpu_us", "errors")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    PEAK_MEMORY_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    output: bytes
    peak_memory: int
    cpu_us: int
    errors: bytes
    def __init__(self, output: _Optional[bytes] = ..., peak_memory: _Optional[int] = ..., cpu_us: _Optional[int] = ..., errors: _Optional[bytes] = ...) -> None: ...

class DrainRequest(_message.Message):
    __slots__ = ("draining",)
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    draining: bool
    def __init__(self, draining: _Optional[bool] = ...) -> None: ...

class DrainResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ForgetRequest(_message.Message):
    __slots__ = ("sha256",)
    SHA256_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    def __init__(self, sha256: _Optional[bytes] = ...) -> None: ...

class ForgetResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

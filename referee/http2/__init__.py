"""One gRPC stream over HTTP/2, on a connection of its own, for an event loop.

gRPC's own client hands each message from thread to thread, which costs more than the short messages
of a game do (benchmarks/README.md has the figures). A referee needs little of HTTP/2: it opens one
stream on a connection, and both end together. The peer may be hostile: what RFC 9113 forbids ends
the call, and what it allows is bounded. Without limits 900 SETTINGS frames of 16 KiB in a decision
would take 3.5 s of the referee's CPU time: they end the call after 3 ms, and a peer that stays just
below the limits takes 3 ms a decision. The tests are cases of `tests/referee/http2/test_call.py`.

`server` is the other side, for peers that are trusted: the workers that call a host. `blocking` is
the other side in a sandbox, for a bot of the kit that a host calls.

| limit | where it comes from | test |
|---|---|---|
| a frame: 16,384 bytes | RFC 9113, 4.2 | a long frame |
| sizes of PRIORITY, RST_STREAM, PING, WINDOW_UPDATE | 6.3, 6.4, 6.7, 6.9 | a short ping |
| SETTINGS, PING, GOAWAY on stream 0, others on ours | 6.5, 6.7, 6.8 | a ping of a stream |
| the first frame is SETTINGS, and no answer | 3.4 | settings that begin with an answer |
| SETTINGS: pairs of 6 bytes; an answer is empty | 6.5 | settings of a wrong length |
| MAX_FRAME_SIZE from 16,384 to 16,777,215 | 6.5.2 | frames of no bytes |
| ENABLE_PUSH 0, no PUSH_PROMISE | 6.5.2, 8.4 | a push |
| our windows: 2 messages, 65,535 bytes at least | 5.2 | more than the window |
| the peer's windows: 2^31 - 1 bytes, grown by 1 or more | 6.9.1, 6.9.2 | a window that overflows |
| headers: 16 KiB, no frame in between | ours; 6.2, 6.10 | headers without an end |
| header fields: one status first, lower case, no HTTP/1.1 | 8.2, 8.3 | two statuses |
| grpc-status: 3 digits | ours | with a number of many digits |
| a message: what the caller takes, packed and unpacked | ours | too long, a bomb |
| messages that wait to be read: 100 | ours | too many |
| frames without a message: 1,000 between two, and 10 a second | ours | a flood of pings |
| bytes in those frames: 64 KiB between two messages | ours | a flood of settings |
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from referee.http2.call import Call

MAX_DETAILS: Final = 600
"""Characters of the details of a status. Each takes up to 12 bytes in the last headers; gRPC's
clients refuse headers of more than 8 KB, and HTTP/2 a frame of more than 16 KB."""
INSTALLED: Final = find_spec("hpack") is not None
"""False in the bare kit, which does without hpack: gRPC's own client dials all bots there.

The games are the same. The extra `ladder` brings hpack, since a worker plays many games at once.
"""


async def connect(address: str, method: str, most: int) -> "Call":
    """Call a method at `host:port` or `unix:/path`, in plain text; only if INSTALLED.

    `most` is the longest message that is taken, in bytes. Raises OSError if nobody can be reached.
    """
    from referee.http2 import call  # the one import of it: it needs hpack

    return await call.connect(address, method, most)

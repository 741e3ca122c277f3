"""Whatever bytes come: a call ends or goes on, and never fails itself."""

import asyncio

from hypothesis import given, strategies as st

from referee.http2 import frames as h2
from referee.http2.call import Call
from referee.http2.frames import frame
from tests.referee.http2.peer import MOST, answer, data, trailers

FRAMES = st.builds(
    frame,
    st.integers(0, 12),
    st.integers(0, 255),
    st.sampled_from((0, 1, 1, 1, 2, 3)),
    st.binary(max_size=40),
)
SAID = st.lists(
    st.one_of(
        FRAMES,
        st.binary(max_size=40),
        st.sampled_from((answer(), data(b"one"), trailers(("grpc-status", "0")))),
    ),
    max_size=12,
)


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.aborted
        self.written += data

    def abort(self) -> None:
        self.aborted = True


@given(said=SAID, begun=st.booleans(), cut=st.integers(1, 60))
def test_any_bytes(said: list[bytes], begun: bool, cut: int) -> None:
    stream = (answer() if begun else b"") + b"".join(said)
    asyncio.run(_hears(stream, cut))


async def _hears(stream: bytes, cut: int) -> None:
    call, wire = Call(b"", MOST), Wire()
    call.connection_made(wire)
    for at in range(0, len(stream), cut):
        part = stream[at : at + cut]
        call.get_buffer(-1)[: len(part)] = part
        call.buffer_updated(len(part))
        call.arrived()
    assert wire.written.startswith(h2.PREFACE)
    assert wire.aborted == (call.ended is not None)
    call.hang_up()
    call.connection_lost(None)
    assert call.ended is not None
    await call.gone()

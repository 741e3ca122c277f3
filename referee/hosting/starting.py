"""Starts a bot in a sandbox, and waits until it listens."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final

from referee.hosting.client import DidNotStart
from referee.hosting.sandbox import Sandbox
from referee.processes import may_listen

_LOOK_EVERY: Final = 0.002
_LAST_WORDS: Final = 200  # characters of what a bot printed last, in a sentence


async def launched(launch: Callable[[], Sandbox]) -> Sandbox:
    """Start a sandbox in a thread; if we are cancelled meanwhile, end it."""
    starting = asyncio.ensure_future(asyncio.to_thread(launch))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_stop_started)
        raise


def _stop_started(starting: asyncio.Future[Sandbox]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        starting.result().stop()


async def listens(sandbox: Sandbox, until: float) -> None:
    """Wait until a bot listens on its socket. Raises DidNotStart."""
    while True:
        path = sandbox.socket_path()
        if path is not None and may_listen(f"unix:{path}"):
            return
        if (over := sandbox.over) is not None:
            raise DidNotStart(f"The bot did not start: {over}")
        if sandbox.exit_code is not None:
            how = f"it ended with exit code {sandbox.exit_code} before it listened"
            raise DidNotStart(f"The bot did not start: {how}{_last_words(sandbox)}.")
        if monotonic() > until:
            raise DidNotStart(
                "The bot did not listen on SANTIAGO_ADDRESS within its start-up time."
            )
        await asyncio.sleep(_LOOK_EVERY)


def _last_words(sandbox: Sandbox) -> str:
    lines = sandbox.output().stderr.strip().splitlines()
    said = "".join(c for c in lines[-1] if c.isprintable())[:_LAST_WORDS] if lines else ""
    return f" ({said})" if said else ""

"""Lets workers call a host, and nobody else, until it is to end.

Whoever reaches its service can start programs in sandboxes here, and see how bots play. So workers
of this machine come by a socket in a folder that is closed to other users; those of other machines
by TLS, with a certificate that the operator's own authority has signed. Both sides show theirs.
"""

import asyncio
import os
import shutil
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.errors import InvalidSetting
from referee.hosting.bubblewrap import end_orphans
from referee.hosting.build import SCRATCH
from referee.hosting.client import MAX_MESSAGE
from referee.hosting.host import Host
from referee.hosting.settings import HOST_CA, HOST_CERTIFICATE, HOST_KEY, HostSettings
from referee.http2.server import Server, serve
from referee.processes import may_listen

_UNIX: Final = "unix:"


async def run_host(host: Host, address: str, ready: Callable[[], None]) -> None:
    """Serve at `unix:/path` or `host:port` until cancelled; then end all sandboxes.

    `ready` is called as soon as it listens. Raises InvalidSetting.
    """
    socket = Path(address.removeprefix(_UNIX)) if address.startswith(_UNIX) else None
    _see_to(host.settings, socket)
    end_orphans(host.settings.uids)
    for left in host.settings.folder.glob(f"{SCRATCH}*"):  # of a host that was killed
        shutil.rmtree(left, ignore_errors=True)
    server = await _listening(host, address, socket)
    sweeping = asyncio.create_task(host.seats.sweep())
    try:
        ready()
        await asyncio.Event().wait()
    finally:
        if socket is not None:  # first: later the next host's may be there
            socket.unlink(missing_ok=True)
        server.close()
        sweeping.cancel()
        await host.seats.end_all()


def _see_to(settings: HostSettings, socket: Path | None) -> None:
    """Make the host's folder. Raises InvalidSetting if the users of sandboxes can't reach it."""
    settings.make_folder()
    folder = settings.folder.absolute()
    if os.geteuid() != 0:
        return
    for part in (folder, *folder.parents):
        if not part.stat().st_mode & 0o001:
            open_it = "" if socket and part == socket.parent else f", or type: chmod o+x {part}"
            raise InvalidSetting(
                f"Sandboxes have users of their own, who can't reach {folder}, since {part} is "
                f"closed: choose another folder (SANTIAGO_HOST_FOLDER){open_it}"
            )


async def _listening(host: Host, address: str, socket: Path | None) -> Server:
    tls = _tls(host.settings, address) if socket is None else None
    if socket is not None:
        close_folder(socket)
    try:
        return await serve(address, host.handlers(), MAX_MESSAGE, tls)
    except OSError as error:
        raise InvalidSetting(f"Nothing can listen on {address}: {error}.") from None


def close_folder(socket: Path) -> None:
    """Make the folder of a socket, for its owner alone, and remove what is left of a former socket.

    Raises InvalidSetting if others can reach it, or if somebody listens there.
    """
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = socket.parent.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise InvalidSetting(
            f"Others can reach {socket.parent}: whoever reaches a host's socket can run programs "
            f"there. Put it into a folder of its own, or type: chmod 700 {socket.parent}"
        )
    if may_listen(f"{_UNIX}{socket}"):
        raise InvalidSetting(f"Another host listens on {socket}: end it, or choose another socket.")
    with suppress(FileNotFoundError):
        socket.unlink()


def _tls(settings: HostSettings, address: str) -> ssl.SSLContext:
    """Return what lets in only workers whose certificate our authority has signed."""
    names = (settings.ca, settings.certificate, settings.key)
    if not all(names):
        raise InvalidSetting(
            f"A host at {address} needs mutual TLS: set {HOST_CA}, {HOST_CERTIFICATE} and "
            f"{HOST_KEY}, or listen on unix:/path for workers of this machine."
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(["h2"])
    try:
        context.load_verify_locations(settings.ca)
        context.load_cert_chain(settings.certificate, settings.key)
    except (OSError, ssl.SSLError) as error:
        raise InvalidSetting(f"A file for the host's TLS cannot be used: {error}.") from None
    return context

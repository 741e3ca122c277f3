"""The settings of the embedded service's parts, checked before one of them starts.

Later a part could tell only its log what is wrong, however often it is started again.
"""

import os
import socket
from contextlib import ExitStack
from typing import Final

from ladder.config import LADDER_PACE, METRICS_PORT, Environment, HostingSettings, Settings
from ladder.embedded.supervisor import ServiceError
from ladder.errors import SettingsError
from ladder.operating.metrics import cannot_listen
from ladder.secrets import SecretBox
from ladder.variables import at_port
from referee.hosting.client import Keys
from referee.ways import Ways

_MEASURED: Final = ("worker", "scheduler", "site")
"""The parts with metrics; the site is last, as each of its processes takes a port."""
_OTHERS: Final = len(_MEASURED) - 1
_OURS: Final = {"DATABASE_URL": "sqlite://", "REDIS_URL": "unix:///not/used"}
"""Stand for what the service gives its parts: the folders of both are made later."""


def check_settings(pace: float) -> None:
    """Check all settings that the parts will read, but for those of the host.

    Raises SettingsError and InvalidSetting.
    """
    Ways.from_environment().check_ca_file()
    environment = Environment.from_environment()
    environment.check_metrics_ports(_OTHERS)
    Settings.from_environment({**os.environ, **_OURS, LADDER_PACE: f"{pace:g}"})
    HostingSettings.from_environment()
    Keys.from_environment()
    if environment.secret_key:
        SecretBox.from_environment()


def check_ports(host: str, port: int) -> None:
    """Check that the site, and each process with metrics, can listen on a port of its own.

    Raises ServiceError and SettingsError.
    """
    settings = Settings.from_environment({**os.environ, **_OURS})
    first = settings.metrics_port
    count = _OTHERS + Environment.from_environment().web_concurrency if first else 0
    with ExitStack() as stack:  # all ports are held, so that no two of them are one
        try:
            stack.enter_context(listening(host, port))
        except OSError as error:
            raise ServiceError(
                f"The site cannot listen on {at_port(host, port)} ({error.strerror}): "
                "choose another address with --host, or another port with --port."
            ) from None
        for own in range(first, first + count):
            try:
                stack.enter_context(listening(settings.metrics_host, own))
            except OSError as error:
                raise SettingsError(cannot_listen(settings, own, error)) from None


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; a name means its IPv4 address, if any. Raises OSError."""
    family, _, _, _, own = min(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    return socket.create_server(own[:2], family=family)


def metrics_port(part: str) -> dict[str, str]:
    """Give each part its own port, from that of the setting on: here they share a machine."""
    first = Environment.from_environment().metrics_port
    if not first or part not in _MEASURED:
        return {}
    return {METRICS_PORT: str(first + _MEASURED.index(part))}

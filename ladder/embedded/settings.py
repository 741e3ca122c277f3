"""The settings of the embedded service's parts, checked before one of them starts.

Later a part could tell only its log what is wrong, however often it is started again.
"""

import os
from typing import Final

from ladder.config import LADDER_PACE, METRICS_PORT, Environment, HostingSettings, Settings
from ladder.secrets import SecretBox
from referee.hosting.client import Keys
from referee.ways import Ways

_MEASURED: Final = ("worker", "scheduler", "site")
"""The parts with metrics; the site is last, as each of its processes takes a port."""
_OURS: Final = {"DATABASE_URL": "sqlite://", "REDIS_URL": "unix:///not/used"}
"""Stand for what the service gives its parts: the folders of both are made later."""


def check_settings(pace: float) -> None:
    """Check all settings that the parts will read, but for those of the host.

    Raises SettingsError and InvalidSetting.
    """
    Ways.from_environment().check_ca_file()
    environment = Environment.from_environment()
    environment.check_metrics_ports(others=len(_MEASURED) - 1)
    Settings.from_environment({**os.environ, **_OURS, LADDER_PACE: f"{pace:g}"})
    HostingSettings.from_environment()
    Keys.from_environment()
    if environment.secret_key:
        SecretBox.from_environment()


def metrics_port(part: str) -> dict[str, str]:
    """Give each part its own port, from that of the setting on: here they share a machine."""
    first = Environment.from_environment().metrics_port
    if not first or part not in _MEASURED:
        return {}
    return {METRICS_PORT: str(first + _MEASURED.index(part))}

"""What the environment tells the service: where the parts are and how patient it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

from ladder.errors import SettingsError

LADDER_PACE: Final = "SANTIAGO_LADDER_PACE"


@dataclass(frozen=True)
class Settings:
    """The settings of one process; times are in seconds. Secrets are left out of `repr`."""

    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    places: int = 8
    """Matches that one worker plays at the same time.

    The ladders give no bot more than a quarter of all places: one that uses its whole clock leaves
    the others enough to keep the worker busy.
    """
    lease: float = 15.0
    """How long a claim lasts without a sign of life: the wait after a worker was killed."""
    renew: float = 5.0
    """How often a worker gives that sign; well below `lease`."""
    message_age: float = 20.0
    """A queued match whose message is older than this gets another one."""
    dispatch_window: int = 128
    """Messages that wait in a queue at most; the database keeps the other matches."""
    dispatch_every: float = 0.25
    reap_every: float = 2.0
    match_every: float = 0.25
    ladder_pace: float = inf
    """Matches of the ladders that may be made in a minute; 0 for none."""
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 0
    """Where worker and scheduler tell Prometheus their numbers (/metrics); 0 for nowhere."""

    def __post_init__(self) -> None:
        if self.places < 1:
            raise SettingsError(f"SANTIAGO_PLACES is {self.places}: give 1 or more")
        if not 0 <= self.metrics_port < 65536:
            raise SettingsError(f"SANTIAGO_METRICS_PORT is {self.metrics_port}: give 0 to 65535")
        if not self.ladder_pace >= 0:
            raise SettingsError(f"SANTIAGO_LADDER_PACE is {self.ladder_pace}: give 0 or more")
        if not 0 < self.message_age < inf:
            raise SettingsError(
                f"SANTIAGO_MESSAGE_AGE is {self.message_age} s: give a number, more than 0"
            )
        if not 0 < self.renew <= self.lease / 2 < inf:
            raise SettingsError(
                f"SANTIAGO_RENEW is {self.renew} s and SANTIAGO_LEASE {self.lease} s: "
                "renew at least twice within a lease"
            )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read the environment; raises SettingsError that names the variable and an example."""
        return cls(
            database_url=_required(
                environ,
                "DATABASE_URL",
                "sqlite:////var/lib/santiago/ladder.db or postgresql://user@host/santiago",
            ),
            redis_url=_required(environ, "REDIS_URL", "redis://host:6379/0 or unix:///path"),
            places=_whole(environ, "SANTIAGO_PLACES", cls.places),
            lease=_number(environ, "SANTIAGO_LEASE", cls.lease),
            renew=_number(environ, "SANTIAGO_RENEW", cls.renew),
            message_age=_number(environ, "SANTIAGO_MESSAGE_AGE", cls.message_age),
            ladder_pace=_number(environ, LADDER_PACE, cls.ladder_pace),
            metrics_host=environ.get("SANTIAGO_METRICS_HOST") or cls.metrics_host,
            metrics_port=_whole(environ, "SANTIAGO_METRICS_PORT", cls.metrics_port),
        )


def _required(environ: Mapping[str, str], name: str, example: str) -> str:
    value = environ.get(name, "").strip()
    if not value:
        raise SettingsError(f"{name} is not set. Set it to {example}; `santiago up` needs none.")
    return value


def _whole(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, "").strip()
    try:
        return int(text) if text else default
    except ValueError:
        raise SettingsError(f"{name} is {text!r}: give a whole number") from None


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name, "").strip()
    try:
        return float(text) if text else default
    except ValueError:
        raise SettingsError(f"{name} is {text!r}: give a number") from None

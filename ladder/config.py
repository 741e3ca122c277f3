"""All settings that ladder and site read from the environment, typed and checked by pydantic.

`Settings` is for a process of the service, which needs a database and a queue; `Environment` holds
what any command may find, and requires nothing; `HostingSettings` are those of hosted bots. The
referee, its hosts and the sample bots, which know no ladder, read settings of their own
(`referee.ways`, `referee.serving`, `referee.hosting.settings`).
"""

import os
from collections.abc import Mapping
from math import inf
from typing import Final, Literal, Self

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from ladder.errors import SettingsError
from ladder.variables import (
    Addresses,
    Host,
    HostAndPort,
    PageUrl,
    Port,
    RedisUrl,
    Seconds,
    SiteUrl,
    Switch,
    Word,
)
from referee.hosting import settings
from referee.serving import SECRET_VARIABLE
from referee.variables import MAX_PORT
from referee.ways import ALLOW_PLAIN, CA_FILE

ALLOW_PRIVATE: Final = "SANTIAGO_ALLOW_PRIVATE"
ACCESS_LOG: Final = "SANTIAGO_ACCESS_LOG"
API_TOKEN: Final = "SANTIAGO_API_TOKEN"
HOST: Final = "SANTIAGO_HOST"
HOSTS: Final = "SANTIAGO_HOSTS"
LADDER_PACE: Final = "SANTIAGO_LADDER_PACE"
LOG: Final = "SANTIAGO_LOG"
METRICS_HOST: Final = "SANTIAGO_METRICS_HOST"
METRICS_PORT: Final = "SANTIAGO_METRICS_PORT"
PLANNER_SECONDS: Final = "SANTIAGO_PLANNER_SECONDS"
PORT: Final = "SANTIAGO_PORT"
PUBLIC_GATEWAY: Final = "SANTIAGO_PUBLIC_GATEWAY"
PUBLIC_URL: Final = "SANTIAGO_PUBLIC_URL"
SECRET_KEY: Final = "SANTIAGO_SECRET_KEY"
SOURCE: Final = "SANTIAGO_SOURCE"
TURQUINO_SECONDS: Final = "SANTIAGO_TURQUINO_SECONDS"

_LEAST_TIMEOUT: Final = 5.0  # seconds
_LEAST_STANDSTILL: Final = 60.0  # seconds; SQLite's transactions wait half as long for each other
_LEASES_OF_STANDSTILL: Final = 4
_CONFIG: Final = ConfigDict(validate_by_name=True)
_EXAMPLES: Final = {
    "DATABASE_URL": "sqlite:////var/lib/santiago/ladder.db or postgresql://user@host/santiago",
    "REDIS_URL": "redis://host:6379/0 or unix:///path",
}
_NO_TEXT: Final = "string_unicode"
_WANTED: Final = {
    "literal_error": "give {expected}",
    "int_parsing": "give a whole number",
    "float_parsing": "give a number",
    "greater_than": "give a number, more than {gt:g}",
    "greater_than_equal": "give {ge:g} or more",
    "less_than_equal": "give {le:.0f} or less",
    "value_error": "{error}",
    _NO_TEXT: "give text in UTF-8",
}
"""Advice for a wrong value, by pydantic's types of errors."""


class _Read:
    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read the variables that are set and not blank.

        Raises SettingsError that names the variable at fault and says what to give.
        """
        given = {name: text for name, text in environ.items() if text.strip()}
        try:
            found: Self = TypeAdapter(cls).validate_python(given, by_alias=True, by_name=False)
        except ValidationError as error:
            raise SettingsError(_sentence(error)) from None
        return found


@dataclass(frozen=True, config=_CONFIG)
class Settings(_Read):
    """The settings of one process; times are in seconds. Secrets are left out of `repr`."""

    database_url: Word = Field(validation_alias="DATABASE_URL", repr=False)
    redis_url: RedisUrl = Field(validation_alias="REDIS_URL", repr=False)
    places: int = Field(default=8, ge=1, le=1000, validation_alias="SANTIAGO_PLACES")
    """Matches that one worker plays at the same time.

    The ladders give no bot more than a quarter of all places: one that uses its whole clock leaves
    the others enough to keep the worker busy.
    """
    lease: float = Field(default=15.0, le=600, validation_alias="SANTIAGO_LEASE")
    """How long a claim lasts without being renewed: the wait after a worker was killed."""
    renew: float = Field(default=5.0, validation_alias="SANTIAGO_RENEW")
    """How often a worker renews its claims; well below `lease`."""
    message_age: float = Field(default=20.0, gt=0, le=3600, validation_alias="SANTIAGO_MESSAGE_AGE")
    """A queued match whose message is older than this gets another one."""
    dispatch_window: int = 128
    """Messages that wait in a queue at most; the database keeps the other matches."""
    dispatch_every: float = 0.25
    reap_every: float = 2.0
    match_every: float = 0.25
    ladder_pace: float = Field(default=inf, ge=0, validation_alias=LADDER_PACE)
    """Matches of the ladders that may be made in a minute; 0 for none."""
    analyses: float = Field(default=60.0, ge=0, validation_alias="SANTIAGO_ANALYSES")
    """Matches of the ladders that are analysed by themselves in an hour, if there is time.

    With 0 none is, and of tournaments none either.
    """
    guest_days: int = Field(default=90, ge=1, le=36_500, validation_alias="SANTIAGO_GUEST_GAMES")
    """Days for which a casual game is kept whose people had no account."""
    metrics_host: Word = Field(default="127.0.0.1", validation_alias=METRICS_HOST)
    metrics_port: Port = Field(default=0, validation_alias=METRICS_PORT)
    """The port of /metrics of a worker, the scheduler or the site, for Prometheus; 0 for none."""

    @property
    def statement_timeout(self) -> float:
        """How long a worker or scheduler waits for a statement: well below a lease, if it can."""
        return max(_LEAST_TIMEOUT, self.lease / 2)

    @property
    def standstill(self) -> float:
        """How long a duty may fail to come round before the process ends itself."""
        return max(_LEAST_STANDSTILL, _LEASES_OF_STANDSTILL * self.lease)

    def __post_init__(self) -> None:
        if not 0 < self.renew <= self.lease / 2:
            raise SettingsError(
                f"SANTIAGO_RENEW is {self.renew:g} s and SANTIAGO_LEASE {self.lease:g} s: "
                "renew at least twice within a lease"
            )


@dataclass(frozen=True, config=_CONFIG)
class Environment(_Read):
    """The settings beside those of `Settings`; empty or zero if they are not set."""

    database_url: Word = Field(default="", validation_alias="DATABASE_URL", repr=False)
    """The database of commands that else work on a data folder."""
    secret_key: Word = Field(default="", validation_alias=SECRET_KEY, repr=False)
    """The keys of `ladder.secrets.SecretBox`."""
    allow_private: Switch | None = Field(default=None, validation_alias=ALLOW_PRIVATE)
    """True if users' bots may be dialled on private addresses, too; None if it is not set."""
    public_gateway: HostAndPort = Field(default="", validation_alias=PUBLIC_GATEWAY)
    """The gateway's address for authors' bots, `host:port`."""
    ladder_pace: float = Field(default=inf, ge=0, validation_alias=LADDER_PACE)
    """The scheduler's setting, for the site: with 0 no page promises a match of a ladder."""
    public_url: SiteUrl = Field(default="", validation_alias=PUBLIC_URL)
    """The site's URL as visitors know it, such as `https://ladder.example`."""
    source_url: PageUrl = Field(default="", validation_alias=SOURCE)
    """The URL of the repository with the source of this service."""
    host: Host = Field(default="127.0.0.1", validation_alias=HOST)
    port: Port = Field(default=8000, validation_alias=PORT)
    """The port on which the site listens."""
    sign_ups: int = Field(default=20, ge=1, le=100_000, validation_alias="SANTIAGO_SIGN_UPS")
    """Accounts that may be made from one address in an hour, with the tries that fail."""
    proxies: int = Field(default=0, ge=0, le=10, validation_alias="SANTIAGO_PROXIES")
    """The number of proxies in front of site and gateway."""
    log: Literal["text", "json"] = Field(default="text", validation_alias=LOG)
    """`json` for one JSON object a line."""
    metrics_port: Port = Field(default=0, validation_alias=METRICS_PORT)
    """The first of the ports of /metrics that `santiago up` gives to its parts; 0 for none."""
    access_log: Switch = Field(default=False, validation_alias=ACCESS_LOG)
    """True if the site logs a line for each request."""
    api_token: Word = Field(default="", validation_alias=API_TOKEN, repr=False)
    """The token with which commands ask a site."""
    allow_plain: Switch = Field(default=False, validation_alias=ALLOW_PLAIN)
    """True if that token may be sent without TLS."""
    ca_file: Word = Field(default="", validation_alias=CA_FILE)
    """A file of certificates to trust beside the system's."""
    bot_secret: str = Field(default="", validation_alias=SECRET_VARIABLE, repr=False)
    """The secret that a bot shares with the referee."""
    planner_seconds: Seconds = Field(default="", validation_alias=PLANNER_SECONDS)
    """How long the sample bot `planner` thinks about a decision."""
    turquino_seconds: Seconds = Field(default="", validation_alias=TURQUINO_SECONDS)
    """The longest that the sample bot `turquino` thinks about a decision."""
    web_concurrency: int = Field(default=1, ge=1, le=1000, validation_alias="WEB_CONCURRENCY")
    """The number of the site's processes; gunicorn reads it itself."""

    def check_metrics_ports(self, others: int = 0) -> None:
        """Raise SettingsError unless each process of the site, and `others`, can have a port."""
        count = self.web_concurrency + others
        if self.metrics_port and self.metrics_port + count - 1 > MAX_PORT:
            raise SettingsError(
                f"{METRICS_PORT} is {self.metrics_port}: give {MAX_PORT + 1 - count} or less, as "
                f"{count} processes take a port each, from this one on"
            )


@dataclass(frozen=True, config=_CONFIG)
class HostingSettings(_Read):
    """The settings of hosted bots for workers, site and commands.

    A host has its own; the files of TLS between both are `referee.hosting.client.Keys`.
    """

    hosts: Addresses = Field(default=(), validation_alias=HOSTS)
    """The hosts' addresses, `unix:/path` or `host:port`; none if the ladder hosts no bots."""
    package_mb: int = Field(default=30, ge=1, validation_alias=settings.PACKAGE_MB)
    unpacked_mb: int = Field(default=150, ge=1, validation_alias=settings.UNPACKED_MB)
    package_files: int = Field(default=5000, ge=1, validation_alias=settings.PACKAGE_FILES)
    quota_mb: int = Field(default=300, ge=0, validation_alias="SANTIAGO_QUOTA_MB")
    """The quota of one author: megabytes of packages and bundles in the database."""
    uploads_mb: int = Field(default=20_480, ge=0, validation_alias="SANTIAGO_UPLOADS_MB")
    """The megabytes of packages and bundles of all authors together in the database."""
    kept_bundles: int = Field(default=3, ge=1, le=1000, validation_alias="SANTIAGO_KEPT_BUNDLES")
    """The newest versions of a bot that keep their bundles; packages stay."""
    slots: int = Field(default=2, ge=1, le=1000, validation_alias="SANTIAGO_HOSTED_SLOTS")
    """Matches, and thus sandboxes, of one hosted bot at the same time."""

    @property
    def quota(self) -> int:
        """The quota of an author in bytes."""
        return self.quota_mb * settings.MB

    @property
    def uploads(self) -> int:
        """The bytes that packages and bundles of all authors may take together."""
        return self.uploads_mb * settings.MB


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    name, kind = str(first["loc"][0]), first["type"]
    if kind == "missing":
        return f"{name} is not set. Set it to {_EXAMPLES[name]}; `santiago up` needs none."
    wanted = _WANTED[kind].format(**first.get("ctx", {})) if kind in _WANTED else first["msg"]
    secret = name in _EXAMPLES or kind == _NO_TEXT  # any setting may hold no text, also a token
    shown = "wrong" if secret else repr(first["input"])
    return f"{name} is {shown}: {wanted}"

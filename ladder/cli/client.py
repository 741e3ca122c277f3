"""A ladder's site as commands use it: its JSON API, by a token, and the option --site.

Whoever has the ladder's database may name that instead, by --data.
"""

import json
import os
import re
import ssl
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, TypeVar
from urllib.parse import SplitResult, urlsplit

import click
import httpx
from click.core import ParameterSource
from pydantic import TypeAdapter, ValidationError

from ladder.cli.terminal import data_option, is_typed
from ladder.config import API_TOKEN, Environment
from ladder.errors import LadderError
from referee.ways import ALLOW_PLAIN, CA_FILE, is_on_this_machine

SITE: Final = "SANTIAGO_SITE"
LOCAL_SITE: Final = "http://127.0.0.1:8000"
_NO_DATABASE: Final = (
    f"Name the ladder's site by --site or {SITE}. To work in a database here takes more: "
    "pip install 'santiago-arena[ladder]'"
)
_INSTEAD: Final = (
    "The ladder's site, with your token in SANTIAGO_API_TOKEN, in place of a database here."
)
_API: Final = "/api/v1"
_TIMEOUT: Final = 30.0  # seconds without a byte
_LARGEST: Final = 32 * 2**20  # bytes of an answer
_AWAY: Final = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
"""Answers of a proxy while the site behind it starts again."""
_PROXIES: Final = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_CONTROLS: Final = re.compile(r"[^\n\t -~\xa0-\ud7ff\ue000-\U0010ffff]")
"""Characters that are no text: controls, but for line ends and tabs, and halves of characters."""

_T = TypeVar("_T")


class SiteError(LadderError):
    """The site refused, or could not be reached; `status` is its code, None without an answer."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__("%(sentence)s", sentence=sentence)  # which may begin with a URL
        self.status = status


class SiteClient:
    """A site at a URL, asked with a token or without. No call follows a redirect.

    A token goes over TLS, or stays on this machine: else SiteError, unless SANTIAGO_ALLOW_PLAIN is
    set. SANTIAGO_CA_FILE names certificates to trust beside the system's.
    """

    def __init__(
        self, url: str, token: str | None = None, environ: Mapping[str, str] = os.environ
    ) -> None:
        self.url = url.rstrip("/").removesuffix(_API)
        parts = _split(self.url)
        settings = Environment.from_environment(environ)
        self._is_near = _is_near(parts.netloc)
        self._headers = {"Accept": "application/json, */*"}
        if token:
            safe = parts.scheme == "https" or self._is_near or settings.allow_plain
            self._headers["Authorization"] = self._bearer(token, safe=safe)
        self._trusted = _trusted(settings.ca_file)

    @classmethod
    def from_environment(cls, url: str) -> Self:
        """Name the site at this URL, with the token in SANTIAGO_API_TOKEN. Raises SiteError."""
        return cls(url, Environment.from_environment().api_token or None)

    def _bearer(self, token: str, *, safe: bool) -> str:
        """Return the header for a token that goes over a safe way. Raises SiteError."""
        if not safe:
            raise SiteError(
                f"The token would go to {self.url} in the open: use https, or set {ALLOW_PLAIN}=1 "
                "if the network between is your own"
            )
        if not (token.isascii() and token.isprintable()):
            raise SiteError(f"{API_TOKEN} holds no token: copy it once more")
        return f"Bearer {token}"

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Return the JSON object at a path below /api/v1. Raises SiteError.

        Parameters that are None are left out.
        """
        parameters = {name: value for name, value in query.items() if value is not None}
        return self._object(*self._ask("GET", path, params=parameters))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a JSON object, or nothing; return the object that comes back. Raises SiteError."""
        return self._object(*self._ask("POST", path, json=body))

    def upload(self, path: str, field: str, file: BinaryIO, name: str) -> dict[str, Any]:
        """Send a file in a field of a form, read bit by bit; return the object that comes back.

        Raises SiteError.
        """
        return self._object(*self._ask("POST", path, files={field: (name, file)}))

    def download(self, path: str) -> bytes:
        """Return the file at a path below /api/v1. Raises SiteError."""
        return self._ask("GET", path)[1]

    def _object(self, mimetype: str, body: bytes) -> dict[str, Any]:
        answer = _json(body) if mimetype == "application/json" else None
        if not isinstance(answer, dict):
            raise SiteError(
                f"{self.url} does not answer as a ladder's site does: is the URL right?"
            )
        return answer

    def _ask(self, method: str, path: str, **options: Any) -> tuple[str, bytes]:
        """Return media type and body of the answer."""
        try:
            with (
                self._client() as client,
                client.stream(method, f"{self.url}{_API}{path}", **options) as answer,
            ):
                body = self._read(answer)
        except httpx.ConnectError as error:
            raise SiteError(
                f"{self.url} can't be reached: {error}. Is it the right one? Name it by "
                "--site or SANTIAGO_SITE."
            ) from None
        except httpx.HTTPError as error:
            raise SiteError(f"{self.url} broke off: {error or type(error).__name__}") from None
        mimetype = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if not answer.is_success:
            raise self._refused(answer, mimetype, body)
        return mimetype, body

    def _client(self) -> httpx.Client:
        """Return a client that uses the environment's proxy. Raises SiteError if it can't."""
        try:
            return httpx.Client(
                headers=self._headers,
                timeout=_TIMEOUT,
                verify=self._trusted,
                trust_env=not self._is_near,  # no proxy stands before this machine
                follow_redirects=False,  # a token is for one site, not for where that one points
            )
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise SiteError(
                f"The proxy that the environment names can't be used: {error}. "
                f"Correct or unset {', '.join(_PROXIES)}."
            ) from None

    def _read(self, answer: httpx.Response) -> bytes:
        body = bytearray()
        for piece in answer.iter_bytes():
            body += piece
            if len(body) > _LARGEST:
                raise SiteError(f"{self.url} sends more than {_LARGEST // 2**20} MiB at once")
        return bytes(body)

    def _refused(self, answer: httpx.Response, mimetype: str, body: bytes) -> SiteError:
        """Make the error for a refusal, of the detail of its problem+json if it has one."""
        if moved := answer.headers.get("Location"):
            site = moved.partition(_API)[0] or moved
            return SiteError(f"{self.url} sends on to {site}: use that")
        problem = _json(body) if mimetype == "application/problem+json" else None
        if isinstance(problem, dict) and "detail" in problem:
            sentence = str(problem["detail"])
        else:
            status = f"{answer.status_code} {httpx.codes.get_reason_phrase(answer.status_code)}"
            if answer.status_code in _AWAY:
                sentence = f"{self.url} does not answer now ({status}): try again in a minute."
            else:
                sentence = (
                    f"{self.url} answered {status}, as no ladder's site does: is the URL right?"
                )
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            sentence += f" Put a token of your account into {API_TOKEN}."
        return SiteError(sentence, answer.status_code)


def site_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --site; the command gets a SiteClient as `site`."""

    @_site(LOCAL_SITE, "The ladder's site. Your token is read from SANTIAGO_API_TOKEN.")
    @wraps(command)
    def with_site(*, url: str, **others: Any) -> Any:
        return command(site=SiteClient.from_environment(url), **others)

    return with_site


def site_or_data_options(default: str | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the options --site, with this default, and --data.

    The command gets a SiteClient as `site`, or None if it shall work on the database of this
    machine, `data`. A database that is named wins over a site that is not typed.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @_site(default, _INSTEAD)
        @data_option
        @click.pass_context
        @wraps(command)
        def with_one(
            context: click.Context, /, *, url: str | None, data: Path, **others: Any
        ) -> Any:
            if url and (is_typed("url") or not _is_here(context)):
                return command(site=SiteClient.from_environment(url), data=data, **others)
            if find_spec("sqlalchemy") is None:
                raise click.UsageError(_NO_DATABASE)
            return command(site=None, data=data, **others)

        return with_one

    return add


def _site(default: str | None, about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--site",
        "url",
        metavar="URL",
        default=default,
        show_default=default is not None,
        envvar=SITE,
        show_envvar=True,
        help=about,
    )


def _is_here(context: click.Context) -> bool:
    """Return True if a database is named."""
    named = context.get_parameter_source("data") is not ParameterSource.DEFAULT
    return named or bool(Environment.from_environment().database_url)


def read(kind: type[_T], answer: object) -> _T:
    """Read an object of this kind from a site's answer or a dictionary; ignore other fields.

    Raises SiteError.
    """
    try:
        return TypeAdapter(kind).validate_python(answer)
    except ValidationError:
        sentence = f"The site's answer holds no {kind.__name__}: is it newer, or the URL wrong?"
        raise SiteError(sentence, HTTPStatus.OK) from None


def _json(body: bytes) -> Any:
    try:
        return _plain(json.loads(body))
    except (ValueError, RecursionError):
        return None


def _plain(value: Any) -> Any:
    """Return JSON without controls in its texts, which a terminal would obey."""
    if isinstance(value, str):
        return _CONTROLS.sub("\ufffd", value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        httpx.URL(url).host.encode("idna")
    except (ValueError, httpx.InvalidURL):
        good = False
    if not good or not url.isascii() or not url.isprintable() or " " in url:
        raise SiteError(f"{url!r} is no site: give its URL, such as https://ladder.example")
    return parts


def _is_near(netloc: str) -> bool:
    """Return True if the site is on this machine."""
    host = netloc.rpartition("@")[2]
    return is_on_this_machine(host if ":" in host.rpartition("]")[2] else f"{host}:80")


def _trusted(ca_file: str) -> ssl.SSLContext:
    trusted = ssl.create_default_context()
    if ca_file:
        try:
            trusted.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            raise SiteError(f"{CA_FILE}: {error}") from None
    return trusted

"""Calls of a site's API: JSON in and out, with time limits, TLS, and no redirects."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from ladder.cli.client.errors import SiteError, refused
from referee.ways import ALLOW_PLAIN, CA_FILE, is_on_this_machine

SITE: Final = "SANTIAGO_SITE"
TOKEN: Final = "SANTIAGO_API_TOKEN"
_API: Final = "/api/v1"
_PATIENCE: Final = 30.0  # seconds without a byte
_LARGEST: Final = 32 * 2**20  # bytes of an answer


class Site:
    """A site at a URL, asked with a token or without.

    A token goes over TLS, or stays on this machine: else SiteError, unless SANTIAGO_ALLOW_PLAIN is
    set. SANTIAGO_CA_FILE names certificates to trust beside the system's.
    """

    def __init__(
        self, url: str, token: str | None = None, environ: Mapping[str, str] = os.environ
    ) -> None:
        self.url = url.rstrip("/")
        parts = _split(self.url)
        near = _is_near(parts.netloc)
        plain = environ.get(ALLOW_PLAIN, "") not in ("", "0")
        if token and parts.scheme == "http" and not (near or plain):
            raise SiteError(
                f"the token would go to {self.url} in the open: use https, or set {ALLOW_PLAIN}=1 "
                "where the network between is your own"
            )
        if token and not token.isascii():
            raise SiteError(f"{TOKEN} holds no token: copy it once more")
        self._token = token
        self._opener = _opener(environ.get(CA_FILE, ""), near)

    @classmethod
    def from_environment(cls, url: str) -> Site:
        """The site at this URL, with the token in SANTIAGO_API_TOKEN, if any. Raises SiteError."""
        return cls(url, os.environ.get(TOKEN, "").strip() or None)

    def get(self, path: str, **query: object) -> dict[str, Any]:
        """The JSON object at a path below /api/v1; what is None is left out. Raises SiteError."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._object(Request(self._at(path) + (f"?{urlencode(given)}" if given else "")))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a JSON object, or nothing; what comes back. Raises SiteError."""
        data = b"" if body is None else json.dumps(body).encode()
        request = Request(self._at(path), data, method="POST")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        return self._object(request)

    def download(self, path: str) -> bytes:
        """The file at a path below /api/v1. Raises SiteError."""
        return self._ask(Request(self._at(path)))[1]

    def _at(self, path: str) -> str:
        return f"{self.url}{_API}{path}"

    def _object(self, request: Request) -> dict[str, Any]:
        mimetype, body = self._ask(request)
        try:
            answer = json.loads(body) if mimetype == "application/json" else None
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise SiteError(
                f"{self.url} does not answer as a ladder's site does: is the URL right?"
            )
        return answer

    def _ask(self, request: Request) -> tuple[str, bytes]:
        """Media type and body of the answer."""
        request.add_header("Accept", "application/json, */*")
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                return answer.headers.get_content_type(), self._read(answer)
        except HTTPError as error:
            with error:
                if moved := error.headers.get("Location"):
                    raise SiteError(f"{self.url} sends on to {moved}: use that") from None
                mimetype = error.headers.get_content_type()
                raise refused(self.url, error.code, mimetype, self._read(error), TOKEN) from None
        except URLError as error:
            raise SiteError(
                f"{self.url} can't be reached: {error.reason}. Is it the right one? Name it by "
                "--site or SANTIAGO_SITE."
            ) from None
        except (OSError, HTTPException) as error:
            raise SiteError(f"{self.url} broke off: {error or type(error).__name__}") from None

    def _read(self, answer: Any) -> bytes:
        body: bytes = answer.read(_LARGEST + 1)
        if len(body) > _LARGEST:
            raise SiteError(f"{self.url} sends more than {_LARGEST // 2**20} MiB at once")
        if getattr(answer, "length", None):  # what is left of what was announced
            raise SiteError(f"{self.url} broke off in the middle of its answer")
        return body


class _NoRedirects(HTTPRedirectHandler):
    """A token is for one site: it does not follow wherever that one points."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _split(url: str) -> Any:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or not url.isascii() or not url.isprintable() or " " in url:
        raise SiteError(f"{url!r} is no site: give its URL, such as https://ladder.example")
    return parts


def _is_near(netloc: str) -> bool:
    """Whether the site is on this machine."""
    host = netloc.rpartition("@")[2]
    return is_on_this_machine(host if ":" in host.rpartition("]")[2] else f"{host}:80")


def _opener(ca_file: str, near: bool) -> OpenerDirector:
    trusted = ssl.create_default_context()
    if ca_file:
        try:
            trusted.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            raise SiteError(f"{CA_FILE}: {error}") from None
    proxies = ProxyHandler({} if near else None)
    return build_opener(HTTPSHandler(context=trusted), proxies, _NoRedirects())

"""What a site answers in place of what was asked for."""

from __future__ import annotations

import json
from http import HTTPStatus

from ladder.errors import LadderError


class SiteError(LadderError):
    """The site refused, or could not be reached; `status` is its code, None without an answer."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status


def refused(url: str, status: int, mimetype: str, body: bytes, token_variable: str) -> SiteError:
    """The error for a site's answer that is none, from its problem+json where there is one."""
    told = _detail(mimetype, body) or (
        f"{url} answered {status} {_phrase(status)}, as no ladder's site does: is the URL right?"
    )
    if status == HTTPStatus.UNAUTHORIZED:
        told += f" Put a token of your account into {token_variable}."
    return SiteError(told, status)


def _detail(mimetype: str, body: bytes) -> str | None:
    if mimetype != "application/problem+json":
        return None
    try:
        problem = json.loads(body)
        return str(problem["detail"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""

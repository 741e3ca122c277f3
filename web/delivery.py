"""Send little, and send it once: named, joined and compressed static files, compressed pages.

A static file is sent under a name with the hash of its content, such as `site/page.3f2a….css`; a
browser may keep it forever, and a changed file has another name. Templates write
`url_for('static', filename='site/page.css')` and get that name. A script comes with all that it
imports, a style with all that it imports, as one file each and without the comments that have lines
of their own: no other build step is needed. They are written as plain modules and plain styles,
which is what browsers would load one by one.

Pages are compressed for visitors who are not signed in, and only if they hold no secret: who can
make a browser load a page with text of his own could else guess a secret beside it from the size
of the answer (BREACH, https://breachattack.com).
"""

import gzip
import json
import mimetypes
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, abort, g, request

_FOREVER: Final = 365 * 24 * 3600  # seconds
_LEAST: Final = 1024
"""Bytes below which compressing does not pay."""
_PAGE_LEVEL: Final = 4  # of gzip: a page is compressed each time it is sent
_FILE_LEVEL: Final = 9
_GAME_LEVEL: Final = 4  # a running game is compressed again after each move
_KEPT_LEVEL: Final = 7  # a game that is over is compressed once, and kept
_HASH: Final = 12  # digits
_NAMED: Final = re.compile(rf"(.+)\.([0-9a-f]{{{_HASH}}})(\.\w+)", re.ASCII)
_TEXTS: Final = re.compile(r"text/(?!event-stream)|application/(javascript|(\w+\+)?json)|image/svg")

_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)\n", re.M)
_STYLE_IMPORT: Final = re.compile(r'^@import "([^"]+)";\n', re.M)
_IMPORT: Final = re.compile(r'^import (?:(\{[^}]*\}) from )?"(\.[^"]+)";\n', re.M)
_EXPORT: Final = re.compile(r"^export ((?:async )?(?:function\*?|class|const) (\w+))", re.M)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*", re.M)


@dataclass(frozen=True)
class StaticFile:
    """A file as it is sent: its bytes, their kind and hash."""

    data: bytes
    kind: str

    @cached_property
    def hash(self) -> str:
        """The first hexadecimal digits of the content's SHA-256."""
        return sha256(self.data).hexdigest()[:_HASH]

    @cached_property
    def packed(self) -> bytes | None:
        """The bytes as gzip, or None if that does not help."""
        if not _TEXTS.match(self.kind):
            return None
        packed = gzip.compress(self.data, _FILE_LEVEL, mtime=0)
        return packed if len(packed) < len(self.data) else None


class StaticFiles:
    """The files of a folder by path, each read and joined when it is first wanted."""

    def __init__(self, folder: Path) -> None:
        found = (path for path in folder.rglob("*") if path.is_file())
        self._paths = {path.relative_to(folder).as_posix(): path for path in found}
        self._made: dict[str, StaticFile] = {}

    def hashed(self, name: str) -> str:
        """Return the name under which a file is sent; the same name if there is no such file."""
        if name not in self._paths:
            return name
        stem, dot, suffix = name.rpartition(".")
        return f"{stem}.{self.get(name).hash}{dot}{suffix}"

    def find(self, name: str) -> tuple[StaticFile, bool] | None:
        """Return the file of a name with or without a hash, and True if the hash is its own.

        The name with another hash is that of an older or newer version of the site.
        """
        parts = _NAMED.fullmatch(name)
        plain = parts[1] + parts[3] if parts else name
        if plain not in self._paths:
            return None
        found = self.get(plain)
        return found, parts is not None and parts[2] == found.hash

    def get(self, name: str) -> StaticFile:
        """Return a file with all that it imports. Raises KeyError and ValueError."""
        if name not in self._made:
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            self._made[name] = StaticFile(self._content(name), kind)
        return self._made[name]

    def _content(self, name: str) -> bytes:
        if name.endswith(".css"):
            return self._style(name).encode()
        if name.endswith(".js"):
            return self._script(name).encode()
        return self._paths[name].read_bytes()

    def _text(self, name: str) -> str:
        return _COMMENT.sub("", self._paths[name].read_text(encoding="utf-8"))

    def _style(self, name: str) -> str:
        """Return a style sheet with those that it imports in their places."""
        return _STYLE_IMPORT.sub(
            lambda found: self._style(_beside(name, found[1])), self._text(name)
        )

    def _script(self, name: str) -> str:
        """Return a script as one module, with those that it imports before it, and its exports."""
        order: dict[str, int] = {}
        self._gather(name, order, ())
        if len(order) == 1:
            return self._text(name)
        script = "".join(self._wrapped(each, order) for each in order)
        exported = ", ".join(found[2] for found in _EXPORT.finditer(self._text(name)))
        if not exported:
            return script
        return f"{script}export const {{ {exported} }} = module{order[name]};\n"

    def _gather(self, name: str, order: dict[str, int], above: tuple[str, ...]) -> None:
        """Number a script and all that it imports, so that each comes after what it imports."""
        if name in above:
            raise ValueError(f"{name} imports itself: {' -> '.join(above)}")
        for found in _IMPORT.finditer(self._text(name)):
            if (imported := _beside(name, found[2])) not in order:
                self._gather(imported, order, (*above, name))
        order[name] = len(order)

    def _wrapped(self, name: str, order: dict[str, int]) -> str:
        """Return a script as a function of its own, whose result is what it exports."""

        def bound(found: re.Match[str]) -> str:
            names = re.sub(r"(\w+) as (\w+)", r"\1: \2", found[1] or "{}")
            return f"const {names} = module{order[_beside(name, found[2])]};\n"

        text = self._text(name)
        exported = ", ".join(found[2] for found in _EXPORT.finditer(text))
        body = _EXPORT.sub(r"\1", _IMPORT.sub(bound, text))
        if other := _OTHER.search(body):
            raise ValueError(f'{name}: write import {{ … }} from "./…"; not {other[0]}')
        return f"const module{order[name]} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def init_app(app: Flask) -> None:
    """Name, join and compress static files; compress pages."""
    files = _files(Path(app.static_folder or ""))

    def named(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values["filename"] = files.hashed(values["filename"])

    def static(filename: str) -> Response:
        found = files.find(filename)
        return _file_answer(*found) if found else abort(404)

    app.url_defaults(named)
    app.view_functions["static"] = static
    app.after_request(_compress)


@lru_cache
def _files(folder: Path) -> StaticFiles:
    return StaticFiles(folder)


def as_json(document: object) -> str:
    """Return a document as compact JSON; times are written as ISO 8601 has them."""
    return json.dumps(
        document, default=datetime.isoformat, ensure_ascii=False, separators=(",", ":")
    )


def packed_json(document: object) -> bytes:
    """Return a document as gzipped JSON, for `packed_response`."""
    return gzip.compress(as_json(document).encode(), _KEPT_LEVEL, mtime=0)


def packed(text: str) -> bytes:
    """Return the document of a running game, which is JSON, as gzip."""
    return gzip.compress(text.encode(), _GAME_LEVEL, mtime=0)


def packed_response(packed: bytes, kind: str) -> Response:
    """Return an answer that is kept as gzip; it is unpacked for a client that refuses gzip."""
    accepted = request.accept_encodings["gzip"] > 0
    answer = Response(packed if accepted else gzip.decompress(packed), mimetype=kind)
    if accepted:
        answer.headers["Content-Encoding"] = "gzip"
    answer.vary.add("Accept-Encoding")
    return answer


def _beside(name: str, relative: str) -> str:
    """Return the path in the folder that a file means by a relative path."""
    parts = name.split("/")[:-1]
    for part in relative.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _file_answer(file: StaticFile, lasts: bool) -> Response:
    packs = file.packed is not None and request.accept_encodings["gzip"] > 0
    answer = Response(file.packed if packs else file.data, mimetype=file.kind)
    if packs:
        answer.headers["Content-Encoding"] = "gzip"
    answer.vary.add("Accept-Encoding")
    if lasts:
        answer.headers["Cache-Control"] = f"public, max-age={_FOREVER}, immutable"
        return answer
    answer.cache_control.no_cache = True
    answer.set_etag(f"{file.hash}-gzip" if packs else file.hash)
    answer.make_conditional(request)
    return answer


def _compress(answer: Response) -> Response:
    """Compress a page that is for everybody."""
    text = not answer.is_streamed and _TEXTS.match(answer.mimetype or "")
    if not text or "Content-Encoding" in answer.headers or "ETag" in answer.headers:
        return answer
    if _may_hold_secrets(answer) or len(answer.get_data()) < _LEAST:
        return answer
    answer.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"] > 0:
        answer.set_data(gzip.compress(answer.get_data(), _PAGE_LEVEL, mtime=0))
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _may_hold_secrets(answer: Response) -> bool:
    """Return True if a user, a form's token or a ticket stands behind the answer."""
    signed_in = g.get("browser") is not None or "Authorization" in request.headers
    return signed_in or "csrf_token" in g or bool(answer.cache_control.no_store)

"""Downloads: the kit as a wheel, the protocol and the starters as archives, with checksums.

They are made of the files of this installation, without a network and without a build. So they are
the same, byte by byte, for a site that runs from a clone, from a wheel or in a container.
"""

import base64
import hashlib
import io
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from flask import Blueprint, Flask, Response, render_template, request
from flask.typing import ResponseReturnValue

from ladder.cli.starters import LANGUAGES, project
from ladder.config import Environment
from ladder.errors import NotFound
from web.security import public_url_for

blueprint = Blueprint("downloads", __name__)

_CHECKSUMS: Final = "SHA256SUMS"
_DISTRIBUTION: Final = "santiago-arena"
_PACKAGES: Final = ("ladder", "referee", "sample_bots", "web")
_ROOT: Final = Path(__file__).parents[1]
_PROTOCOL: Final = Path(__file__).with_name("proto")
"""The project's proto/: a link in a clone, a copy in an installed package."""
_EXAMPLES: Final = ("sample_bots/cpp", "sample_bots/node")
"""Whole bots by the protocol alone; in the archive as in a clone, they find proto/ from there."""
_MADE: Final = ("build", "node_modules")
"""Folders that building a bot leaves in a clone."""
_OURS: Final = re.compile(
    r"[^.].*\.(bin|c|cc|cpp|css|html|js|json|mako|md|mo|png|po|proto|pyi?|svg|toml|ttf|typed)"
    r"|LICENSE|Makefile"
)
"""The names of the project's files, whatever else lies in a clone."""
_BOT: Final = "my-bot"
_WHEEL: Final = """Wheel-Version: 1.0
Generator: santiago-arena
Root-Is-Purelib: true
Tag: py3-none-any
"""
_OF_DISTRIBUTION: Final = ("METADATA", "entry_points.txt", "top_level.txt", "licenses/LICENSE")
_FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)  # of a ZIP archive


@dataclass(frozen=True, slots=True)
class DownloadFile:
    """A file to download; `language` is that of a starter."""

    name: str
    data: bytes
    language: str | None = None

    @property
    def sha256(self) -> str:
        """The checksum of the file, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


def init_app(app: Flask) -> None:
    """Give templates `kit_url`, and `source_url`: the repository if the operator names it."""
    app.jinja_env.globals.update(
        kit_url=kit_url, source_url=Environment.from_environment().source_url
    )


@blueprint.get("/downloads")
def index() -> ResponseReturnValue:
    """List what can be downloaded."""
    kit, protocol, *starters = files().values()
    return render_template(
        "downloads/index.html",
        kit=kit,
        protocol=protocol,
        starters=starters,
        version=_installed().version,
    )


@blueprint.get("/downloads/<name>")
def file(name: str) -> ResponseReturnValue:
    """Send a file, or the list of all checksums as `sha256sum --check` reads it."""
    if name == _CHECKSUMS:
        sums = "".join(f"{one.sha256}  {one.name}\n" for one in files().values())
        answer = Response(sums, mimetype="text/plain")
    elif found := files().get(name):
        answer = Response(found.data, mimetype="application/zip")
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    else:
        raise NotFound("there is no such file; /downloads lists them")
    answer.cache_control.no_cache = True
    answer.add_etag()
    answer.make_conditional(request)
    return answer


def kit_url() -> str:
    """Return the whole address of the kit's wheel, for `pip install`."""
    return public_url_for("downloads.file", name=kit_name())


def kit_name() -> str:
    """Return the file name of the kit's wheel."""
    return f"{_DISTRIBUTION.replace('-', '_')}-{_installed().version}-py3-none-any.whl"


@cache
def files() -> Mapping[str, DownloadFile]:
    """Make all files, by name: the kit, the protocol, then a starter for each language."""
    version = _installed().version
    protocol = {f"proto/{name}": data for name, data in _below(_PROTOCOL)}
    for bot in _EXAMPLES:
        protocol |= {f"{bot}/{name}": data for name, data in _below(_ROOT / bot)}
    made = [
        DownloadFile(kit_name(), _wheel()),
        DownloadFile(f"santiago-proto-{version}.zip", _archive(protocol)),
    ]
    for language in LANGUAGES:
        starter = {str(path): text.encode() for path, text in project(_BOT, language)}
        name = f"santiago-starter-{language}-{version}.zip"
        made.append(DownloadFile(name, _archive(starter), language))
    return {one.name: one for one in made}


def _installed() -> Distribution:
    """Return the installed distribution. Raises NotFound.

    A build leaves a description of its own (`*.egg-info`) in the folder of the project, which
    has no license and can be out of date; it is not what was installed.
    """
    for found in distributions(name=_DISTRIBUTION):
        if found.read_text("METADATA") is not None:
            return found
    raise NotFound("this site has no downloads: it was started without being installed")


def _wheel() -> bytes:
    """Make the wheel (binary distribution format, version 1.0) without compiled modules."""
    installed = _installed()
    held = {f"{name}/{path}": data for name in _PACKAGES for path, data in _below(_ROOT / name)}
    about = f"{_DISTRIBUTION.replace('-', '_')}-{installed.version}.dist-info"
    for name in _OF_DISTRIBUTION:
        text = installed.read_text(name)
        if text is not None:
            held[f"{about}/{name}"] = text.encode()
    held[f"{about}/WHEEL"] = _WHEEL.encode()
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in held.items()]
    held[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""]).encode()
    return _archive(held)


def _below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the project's files below a folder with their relative paths, following links."""
    for place, folders, names in os.walk(folder, followlinks=True):
        visible = (name for name in folders if not name.startswith((".", "__")))
        folders[:] = sorted(name for name in visible if name not in _MADE)
        for name in sorted(names):
            path = Path(place, name)
            if _OURS.fullmatch(name):
                yield path.relative_to(folder).as_posix(), path.read_bytes()


def _archive(held: Mapping[str, bytes]) -> bytes:
    """Make a ZIP archive; the same files make the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in held.items():
            entry = zipfile.ZipInfo(name, _FIRST_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return made.getvalue()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

"""Packages, and versions that were uploaded, for the tests of the site."""

import io
import zipfile
from typing import Final

from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from tests.web.accounts.visitors import token

FORM: Final = "/bots/submit"
UPLOAD: Final = "/bots/upload"
MANIFEST: Final = """\
name = "zorro"
version = "{version}"
runtime = "python"
entry = "bot:Zorro"
language = "Python"
"""


def package(version: str = "1", **files: bytes) -> bytes:
    """A .zip with a manifest and a bot; the names of more files have `_` for their dot.

    It says that it was made in 1980, so that two of the same files are the same.
    """
    held = {
        "santiago.toml": MANIFEST.format(version=version).encode(),
        "bot.py": b"class Zorro: ...\n",
        **{name.replace("_", "."): data for name, data in files.items()},
    }
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, data in held.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return found.getvalue()


def upload(client: FlaskClient, data: bytes, name: str = "zorro.zip") -> TestResponse:
    """Send a package as the form does."""
    fields = {"csrf_token": token(client, FORM), "package": FileStorage(io.BytesIO(data), name)}
    boundary, body = encode_multipart(fields)
    return client.post(UPLOAD, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def uploaded(client: FlaskClient, version: str = "1") -> str:
    """The page of a version that was uploaded."""
    answer = upload(client, package(version))
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]

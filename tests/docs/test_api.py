"""docs/api.md does what it says, on a site with a little ladder; it tells every error."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, TIMEOUT, blocks
from tests.ladder.cli.client.sites import Running, running
from web.api.description import description

PAGE = "api.md"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Running]:
    (tmp_path / "site").mkdir()
    with running(tmp_path / "site") as made:
        yield made


def typed(script: str, folder: Path, site: Running, token: str) -> list[str]:
    """What each line of a script prints; all must succeed."""
    joined = script.replace("\\\n", "")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "SANTIAGO_SITE": site.url, "SANTIAGO_API_TOKEN": token}
    return [
        subprocess.run(
            ["bash", "-c", line.replace("curl -s", "curl -s --fail-with-body")],
            cwd=folder,
            env=os.environ | environ,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        ).stdout
        for line in joined.splitlines()
    ]


def test_every_example_works(site: Running, tmp_path: Path) -> None:
    said: list[str] = []
    for block in blocks(PAGE):
        if block.language == "sh":
            organising = "/tournaments" in block.text and "POST" in block.text
            token = site.organiser if organising else site.author
            said += typed(block.text, tmp_path, site, token)
        else:
            subprocess.run(
                [sys.executable, "-c", block.text], cwd=tmp_path, check=True, timeout=TIMEOUT
            )
    text = "".join(said)
    assert '"gateway_token":"' in text
    assert '"state":"paused"' in text
    assert '"state":"running"' in text
    assert '"kind":"challenge"' in text
    assert '"annul_reason":"The host stood still."' in text
    assert "match-1.santiago: right." in text
    assert (tmp_path / "match-1.jsonl").stat().st_size > 50_000
    head, result = (tmp_path / "results.jsonl").read_text().splitlines()
    page = (DOCS / PAGE).read_text()
    assert head in page
    assert result[:50] in page


def test_every_error_is_told() -> None:
    told = {int(code) for code in re.findall(r"\b(4\d\d)\b", (DOCS / PAGE).read_text())}
    described = {
        int(code)
        for path in description()["paths"].values()
        for operation in path.values()
        for code in operation["responses"]
        if code.startswith("4")
    }
    assert described <= told

"""The page of downloads, and its files."""

import hashlib
import html
import io
import re
import tomllib
import zipfile
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ladder.config import SOURCE, Settings
from ladder.errors import SettingsError
from referee.hosting.packages import read
from tests.docs.pages import DOCS
from tests.web.conftest import BOX, site_of
from web import create_app, downloads
from web.documents import SITE


def test_one_line_installs_the_kit(client: FlaskClient) -> None:
    page = html.unescape(client.get("/downloads").text)
    version = downloads.kit_name().split("-")[1]
    url = f"http://localhost/downloads/santiago_arena-{version}-py3-none-any.whl"
    assert f">pip install {url}<" in page
    assert f">pip install 'santiago-arena[client] @ {url}'<" in page
    assert client.get(url).data == downloads.files()[downloads.kit_name()].data


def test_every_file_has_the_checksum_that_is_told(client: FlaskClient) -> None:
    page = client.get("/downloads").text
    told = dict(re.findall(r"^(\w{64})  (\S+)$", client.get("/downloads/SHA256SUMS").text, re.M))
    assert len(told) == len(downloads.files()) == 6
    for sha256, name in told.items():
        answer = client.get(f"/downloads/{name}")
        assert hashlib.sha256(answer.data).hexdigest() == sha256
        assert sha256 in page
        again = client.get(f"/downloads/{name}", headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304


def test_the_same_files_make_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {one.name: one.sha256 for one in downloads.files().values()}
    lacking = (*downloads._OF_DISTRIBUTION, "licenses/of-another-build")
    monkeypatch.setattr(downloads, "_OF_DISTRIBUTION", lacking)
    downloads.files.cache_clear()
    assert {one.name: one.sha256 for one in downloads.files().values()} == before


def test_what_a_build_left_behind_is_not_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = downloads.kit_name(), downloads.files()[downloads.kit_name()].sha256
    left = tmp_path / "santiago_arena.egg-info"
    left.mkdir()
    (left / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: santiago-arena\nVersion: 0.0.9\n")
    monkeypatch.syspath_prepend(tmp_path)
    downloads.files.cache_clear()
    assert (downloads.kit_name(), downloads.files()[downloads.kit_name()].sha256) == before


def test_a_site_that_was_not_installed_has_no_downloads_but_all_else(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "distributions", lambda **_: [])
    downloads.files.cache_clear()
    answer = client.get("/downloads")
    assert answer.status_code == 404
    assert "This site has no downloads: it was started without being installed." in answer.text
    assert client.get("/docs/tutorial").status_code == 200


@pytest.mark.parametrize("language", ["python", "node", "lines", "cpp"])
def test_a_starter_can_be_uploaded_as_it_is(language: str) -> None:
    (starter,) = (one for one in downloads.files().values() if one.language == language)
    assert read(io.BytesIO(starter.data)).name == "my-bot"


def test_the_protocol_is_whole_with_bots_that_find_it() -> None:
    protocol = next(one for one in downloads.files().values() if "-proto-" in one.name)
    root = DOCS.parent
    with zipfile.ZipFile(io.BytesIO(protocol.data)) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    bots = [path for bot in ("cpp", "node") for path in (root / "sample_bots" / bot).iterdir()]
    files = [*(root / "proto").rglob("*.proto"), *(path for path in bots if path.is_file())]
    assert held == {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_what_building_a_bot_leaves_in_a_clone_is_not_served(tmp_path: Path) -> None:
    for path in ("bot.cc", "build/bot.pb.cc", "node_modules/of-others/index.js"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert [name for name, _ in downloads._below(tmp_path)] == ["bot.cc"]


def test_what_is_no_download_is_not_found(client: FlaskClient) -> None:
    for name in ("santiago.whl", "..%2f..%2fREADME.md", "SHA256SUMS.asc"):
        assert client.get(f"/downloads/{name}").status_code == 404


def test_the_operator_names_the_repository(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, client: FlaskClient
) -> None:
    repository = "https://forge.example/people/santiago"
    assert ">Source<" not in client.get("/rules").text
    monkeypatch.setenv(SOURCE, repository)
    with site_of(settings) as named:
        rules, downloads = (named.test_client().get(at).text for at in ("/rules", "/downloads"))
    assert f'<a href="{repository}">Source</a>' in rules
    assert repository in downloads
    monkeypatch.setenv(SOURCE, "javascript:alert(1)")
    with pytest.raises(SettingsError, match="SANTIAGO_SOURCE is"):
        create_app(settings, BOX)


def test_pages_for_authors_name_this_site_and_the_wheel_that_it_has(client: FlaskClient) -> None:
    told = {
        url
        for page in DOCS.glob("*.md")
        for url in re.findall(r"https://\S+\.whl", page.read_text(encoding="utf-8"))
    }
    assert told == {f"{SITE}/downloads/{downloads.kit_name()}"}
    page = client.get("/docs/write-a-bot").text
    assert f"pip install http://localhost/downloads/{downloads.kit_name()}" in page
    assert SITE not in page
    assert SITE in client.get("/docs/operate").text


def test_no_page_for_authors_asks_for_a_clone() -> None:
    for page in DOCS.glob("*.md"):
        text = " ".join(page.read_text(encoding="utf-8").split()).lower()
        assert "in a clone of this project" not in text, page.name
        assert "path/of/the/clone" not in text, page.name


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads(Path(DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert f"-{project['project']['version']}-" in downloads.kit_name()

"""Static files have names made from their content, and come joined and compressed."""

import gzip
import re
from pathlib import Path

import pytest
from flask import Flask, url_for
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

import web
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import play_next, register, tournament
from web.delivery import StaticFiles

STATIC = Path(web.__file__).parent / "static"
GZIP = {"Accept-Encoding": "gzip, br"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two scripts that import a third, and two styles."""
    (tmp_path / "dice").mkdir()
    (tmp_path / "dice" / "die.js").write_text(
        'import { LUCK as luck } from "../luck.js";\n\n'
        "export const SIDES = 6;\nexport function roll() {\n  return luck;\n}\n"
    )
    (tmp_path / "luck.js").write_text("export const LUCK = 4;\nexport class Fate {}\n")
    (tmp_path / "table.js").write_text(
        'import {\n  roll,\n  SIDES,\n} from "./dice/die.js";\nimport { LUCK } from "./luck.js";\n'
        'import "./luck.js";\n\nroll();\n'
    )
    (tmp_path / "all.css").write_text('@import "dice/one.css";\n\np { margin: 0; }\n')
    (tmp_path / "dice" / "one.css").write_text("a { color: red; }\n")
    return tmp_path


def test_a_script_comes_after_all_that_it_imports(folder: Path) -> None:
    text = StaticFiles(folder).get("table.js").data.decode()
    assert re.findall(r"^const module.*|^const \{.*|^return \{.*", text, re.M) == [
        "const module0 = (() => {",
        "return { LUCK, Fate };",
        "const module1 = (() => {",
        "const { LUCK: luck } = module0;",
        "return { SIDES, roll };",
        "const module2 = (() => {",
        "const {",
        "const { LUCK } = module0;",
        "const {} = module0;",
        "return {  };",
    ]
    assert not re.search(r"^(import|export)", text, re.M)


def test_a_script_that_is_loaded_later_exports_its_own_names(folder: Path) -> None:
    (folder / "later.js").write_text(
        'import { LUCK } from "./luck.js";\nexport function late() {}\n'
    )
    text = StaticFiles(folder).get("later.js").data.decode()
    assert text.endswith("export const { late } = module1;\n")


def test_what_cannot_be_joined_is_refused(folder: Path) -> None:
    (folder / "table.js").write_text('import "./luck.js";\nexport default 4;\n')
    with pytest.raises(ValueError, match="not export default 4"):
        StaticFiles(folder).get("table.js")
    (folder / "luck.js").write_text('import "./table.js";\n')
    with pytest.raises(ValueError, match=r"table\.js -> luck\.js"):
        StaticFiles(folder).get("table.js")


def test_a_style_holds_those_that_it_imports(folder: Path) -> None:
    assert StaticFiles(folder).get("all.css").data == b"a { color: red; }\n\np { margin: 0; }\n"


def test_comments_with_lines_of_their_own_are_not_sent(tmp_path: Path) -> None:
    kept = 'const at = "https://arena.example"; // here\n/* and */ go(at);\n'
    (tmp_path / "way.js").write_text(f"// One.\n{kept}  /** Two\n   *  lines. */\nstop();\n")
    assert StaticFiles(tmp_path).get("way.js").data.decode() == f"{kept}stop();\n"


def test_a_name_changes_with_the_content_alone(folder: Path) -> None:
    before = StaticFiles(folder).hashed("all.css")
    assert re.fullmatch(r"all\.[0-9a-f]{12}\.css", before)
    assert StaticFiles(folder).hashed("all.css") == before
    (folder / "dice" / "one.css").write_text("a { color: blue; }\n")
    after = StaticFiles(folder)
    assert after.hashed("all.css") != before
    assert [after.find(name) for name in (before, after.hashed("all.css"), "all.css")] == [
        (after.get("all.css"), False),
        (after.get("all.css"), True),
        (after.get("all.css"), False),
    ]


def test_only_files_of_the_folder_are_found(folder: Path) -> None:
    (folder / "inner").mkdir()
    files = StaticFiles(folder / "dice")
    for name in ("", "..", "../luck.js", "./die.js", "inner", "die", "die.js/", "%2e%2e/luck.js"):
        assert files.find(name) is None, name
    assert files.hashed("none.css") == "none.css"


def test_every_file_of_the_site_can_be_sent(app: Flask, client: FlaskClient) -> None:
    for path in STATIC.rglob("*.*"):
        with app.test_request_context():
            address = url_for("static", filename=path.relative_to(STATIC).as_posix())
        answer = client.get(address, headers=GZIP)
        assert answer.status_code == 200, address
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_nothing_moves_without_end() -> None:
    """What moves for more than 5 seconds needs a way to stop it (WCAG 2.2.2), and a processor."""
    assert not [path for path in STATIC.rglob("*.css") if "infinite" in path.read_text()]


def test_a_name_without_its_hash_is_asked_for_each_time(client: FlaskClient) -> None:
    for name in ("page.css", "page.0123456789ab.css"):
        answer = client.get(f"/static/site/{name}")
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-cache"
        again = client.get(
            f"/static/site/{name}", headers={"If-None-Match": answer.headers["ETag"]}
        )
        assert again.status_code == 304
    assert client.get("/static/site/none.css").status_code == 404


def test_a_file_is_plain_for_who_cannot_unpack_it(client: FlaskClient) -> None:
    plain = client.get("/static/site/page.css")
    packed = client.get("/static/site/page.css", headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["ETag"] != packed.headers["ETag"]


def test_addresses_begin_with_the_prefix_that_the_site_has(client: FlaskClient) -> None:
    page = client.get("/", environ_overrides={"SCRIPT_NAME": "/santiago"}).text
    found = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    assert found
    assert all(re.fullmatch(r"/santiago/static/.+\.[0-9a-f]{12}\.css", each) for each in found)


def encoding(answer: TestResponse) -> str | None:
    return answer.headers.get("Content-Encoding")


def test_a_page_for_everybody_is_compressed(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    packed = client.get("/matches/1", headers=GZIP)
    assert encoding(packed) == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    plain = client.get("/matches/1")
    assert encoding(plain) is None
    assert gzip.decompress(packed.data) == plain.data
    assert encoding(client.get("/api/v1/ladders", headers=GZIP)) is None  # short


def test_a_page_with_a_secret_is_not(client: FlaskClient, session: Session) -> None:
    make(session, "olga", "organiser")
    assert encoding(client.get("/sign-in", headers=GZIP)) is None
    assert encoding(client.get("/sign-up", headers=GZIP)) is None
    sign_in(client, "olga")
    for path in ("/", "/account", "/tournaments", "/docs/"):
        assert encoding(client.get(path, headers=GZIP)) is None, path

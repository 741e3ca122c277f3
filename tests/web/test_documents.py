"""docs/ on the site."""

import re

import pytest
from flask.testing import FlaskClient

from ladder.cli import starters
from web.documents import FOLDER, GROUPS, SCRIPT, document

NAMES = [name for _, names in GROUPS for name in names]


def test_every_page_of_the_folder_is_in_the_index(client: FlaskClient) -> None:
    assert sorted(NAMES) == sorted(file.stem for file in FOLDER.glob("*.md"))
    page = client.get("/docs").text
    assert all(f'href="/docs/{name}"' in page for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_a_heading_that_is_there(name: str, client: FlaskClient) -> None:
    answer = client.get(f"/docs/{name}")
    assert answer.status_code == 200
    assert "<h1 id=" in answer.text
    assert "style=" not in document(name).body  # the browser would not take it
    for target in re.findall(r'href="([^"]+)"', document(name).body):
        if not target.startswith("http"):
            path, _, heading = target.partition("#")
            assert not path or path.startswith("/docs/"), target
            if path.endswith(SCRIPT):
                continue
            other = document(path.removeprefix("/docs/") if path else name)
            assert not heading or f'id="{heading}"' in other.body, target


def test_prose_has_the_apostrophes_of_other_pages_and_code_its_own() -> None:
    body = document("write-a-bot-anywhere").body
    prose = re.sub(r"<(pre|code).*?</\1>", "", body, flags=re.DOTALL)
    assert "bot’s" in prose
    assert not re.search(r"\w'\w", prose)
    assert "’" not in "".join(re.findall(r"<pre.*?</pre>", body, flags=re.DOTALL))


@pytest.mark.parametrize("path", ["/docs/fairness", "/de/docs/fairness"])
def test_the_script_that_checks_the_ratings_comes_with_its_page(
    client: FlaskClient, path: str
) -> None:
    link = re.search(r'href="([^"]+fold_ratings.py)"', client.get(path).text)
    assert link is not None
    answer = client.get(link[1])
    assert answer.data == (FOLDER / SCRIPT).read_bytes()
    assert "attachment" in answer.headers["Content-Disposition"]


def test_files_of_a_clone_are_named_without_a_link() -> None:
    body = document("write-a-bot").body
    assert "sample_bots/greedy.py" in body
    assert "../" not in re.findall(r'href="([^"]+)"', body)


def test_a_page_says_that_it_is_in_english_to_who_reads_another_language(
    client: FlaskClient,
) -> None:
    page = client.get("/de/docs/write-a-bot").text
    assert "Die Dokumentation ist auf Englisch." in page
    assert '<article class="document" lang="en">' in page
    assert 'href="/de/downloads">Kit und Starter herunterladen' in page
    assert "The documentation is in English." not in client.get("/docs/write-a-bot").text


@pytest.mark.parametrize("path", ["/docs/write-a-bot", "/rules"])
def test_links_between_documents_keep_the_language(client: FlaskClient, path: str) -> None:
    plain = re.findall(r'href="(/docs/[^"]+)"', client.get(path).text)
    page = client.get(f"/de{path}").text
    assert plain
    assert {f"/de{link}" for link in plain} <= set(re.findall(r'href="([^"]+)"', page))
    assert "&#34;" not in page
    for link in set(re.findall(r'href="(/de/docs/[^"#]+)', page)):
        assert client.get(link).status_code == 200, link


def test_other_ways_there(client: FlaskClient) -> None:
    assert client.get("/help").location == "/docs"
    assert client.get("/docs/dice.md").location == "/docs/dice"
    assert client.get("/docs/no-such-page").status_code == 404
    assert client.get("/docs/..%2fREADME").status_code == 404


def test_it_is_found_from_every_page(client: FlaskClient) -> None:
    assert 'href="/docs"' in client.get("/matches").text


@pytest.mark.parametrize("language", starters.LANGUAGES)
def test_new_bots_name_pages_of_the_site_and_no_file_of_a_clone(language: str) -> None:
    files = starters.project("zorro", language)
    text = "\n".join(text for file, text in files if file.suffix != ".proto")
    assert set(re.findall(r"docs/[\w.-]+", text)) <= {f"docs/{name}" for name in NAMES}
    assert "`/docs/upload-a-bot`" in text

"""The rules page: one file for each language that has been written."""

import pytest
from flask.testing import FlaskClient

from web.documents import RULES, parsed
from web.languages import LANGUAGES

_WRITTEN = {file.stem for file in RULES.glob("*.md")}


def test_rules_are_written_in_languages_of_the_site_and_in_english() -> None:
    assert "en" in _WRITTEN
    assert LANGUAGES.keys() >= _WRITTEN


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_rules_are_in_the_language_of_the_page_or_say_that_they_are_not(
    client: FlaskClient, code: str
) -> None:
    page = client.get("/rules", headers={"Accept-Language": code}).text
    told = code if code in _WRITTEN else "en"
    assert f'<html lang="{code}">' in page
    assert f'<article class="document" lang="{told}">' in page
    assert str(parsed(RULES / f"{told}.md").body) in page


def test_the_rules_are_linked_from_every_page(client: FlaskClient) -> None:
    assert '<a href="/rules">' in client.get("/").text

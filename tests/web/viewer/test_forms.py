"""The board has two forms: scripts and styles choose between them by the same queries."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "web" / "static" / "replays"


@pytest.mark.parametrize(
    ("name", "style", "page"),
    [("QUERY", "replay.css", ""), ("FRAMED_QUERY", "framed.css", ".framed ")],
)
def test_styles_and_scripts_show_the_tall_form_in_the_same_windows(
    name: str, style: str, page: str
) -> None:
    script = (FOLDER / "forms.js").read_text(encoding="utf-8")
    found = re.search(rf'^const {name} = "(.*)";', script, re.MULTILINE)
    assert found is not None
    rule = f"@media {found[1]} {{\n  {page}.board .wide {{ display: none; }}\n"
    assert rule in (FOLDER / style).read_text(encoding="utf-8")

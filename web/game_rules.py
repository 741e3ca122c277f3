"""The rules of the game in our own words: a file for each language in rules/."""

from pathlib import Path
from typing import Final

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from web.documents import written
from web.languages import SOURCE, language

blueprint = Blueprint("game_rules", __name__)

FOLDER: Final = Path(__file__).with_name("rules")


@blueprint.get("/rules")
def page() -> ResponseReturnValue:
    """The rules in the language of the page, in English where they are not translated."""
    code = language() if (FOLDER / f"{language()}.md").exists() else SOURCE
    return render_template("rules/page.html", document=written(FOLDER / f"{code}.md"), code=code)

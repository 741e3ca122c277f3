"""The Markdown pages of the site: docs/, and the rules of the game in each language."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ladder.errors import NotFound
from web.drawing.tiles import legends
from web.languages import SOURCE, language
from web.security import public_root

blueprint = Blueprint("documents", __name__)

FOLDER: Final = Path(__file__).with_name("docs")
"""The project's docs/: a link in a clone, a copy in an installed package."""
RULES: Final = Path(__file__).with_name("rules")
"""The rules in our own words, a file for each language."""
GROUPS: Final = (
    (
        "Write a bot",
        (
            "write-a-bot",
            "upload-a-bot",
            "lines",
            "write-a-bot-node",
            "write-a-bot-anywhere",
            "tutorial",
        ),
    ),
    (
        "Make it better",
        (
            "local-play",
            "why-did-my-bot-lose",
            "analysis",
            "learning",
            "train-a-bot",
            "engine",
            "sample-bots",
        ),
    ),
    ("The game", ("play", "rulings", "notation", "dice")),
    ("The ladder", ("tournaments", "fairness", "protocol", "api", "operate", "hosting")),
)
"""The pages by subject, as the index shows them."""
SITE: Final = "https://ladder.example"
"""Stands in docs/ for the site's URL, which pages for authors show in its place."""
SCRIPT: Final = "fold_ratings.py"
"""The one file beside the pages: who checks the ratings without a clone gets it here."""
_OF_OPERATORS: Final = ("operate", "hosting")
NAMES: Final = tuple(name for _, names in GROUPS for name in names)
_TYPOGRAPHY: Final = {"html": False, "typographer": True}
_MARKDOWN: Final = MarkdownIt("commonmark", _TYPOGRAPHY).enable(["table", "smartquotes"])
_LINK: Final = re.compile(r"(?:([\w-]+)\.md)?(#.*)?")
_ELSEWHERE: Final = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A page: `title` is its first heading, `body` the whole page as HTML."""

    name: str
    title: str
    body: Markup


@blueprint.get("/docs")
def index() -> ResponseReturnValue:
    """List the pages by subject."""
    groups = [(subject, [document(name) for name in names]) for subject, names in GROUPS]
    return render_template("documents/index.html", groups=groups)


@blueprint.get("/docs/<name>")
def page(name: str) -> ResponseReturnValue:
    """Show a page, or send the script; the name of a page's file works, since links use it."""
    if name == SCRIPT:
        attached = {"Content-Disposition": f'attachment; filename="{SCRIPT}"'}
        return Response((FOLDER / SCRIPT).read_bytes(), mimetype="text/plain", headers=attached)
    if name.endswith(".md"):
        return redirect(url_for(".page", name=name.removesuffix(".md")), 301)
    found = document(name)
    body = found.body if name in _OF_OPERATORS else found.body.replace(SITE, public_root())
    return render_template("documents/page.html", document=found, body=body)


@blueprint.get("/help")
def help_page() -> ResponseReturnValue:
    """Redirect people who try /help."""
    return redirect(url_for(".index"), 301)


@blueprint.get("/rules")
def rules() -> ResponseReturnValue:
    """Show the rules in the language of the page, in English if they are not translated."""
    code = language() if (RULES / f"{language()}.md").exists() else SOURCE
    return render_template(
        "rules/page.html",
        document=parsed(RULES / f"{code}.md"),
        code=code,
        legends=legends(language()),
    )


def document(name: str) -> DocumentPage:
    """Return a page by its name. Raises NotFound."""
    if name not in NAMES:
        raise NotFound("there is no such page; the documentation begins at /docs")
    return parsed(FOLDER / f"{name}.md")


@cache
def parsed(file: Path) -> DocumentPage:
    """Parse a Markdown file; its links then lead to the site's own pages."""
    tokens = _MARKDOWN.parse(file.read_text(encoding="utf-8"))
    titles = list(_name_headings(tokens))
    for token in tokens:
        _align(token)
        if token.children is not None:
            token.children = list(_linked(token.children))
    html = _focusable(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))
    return DocumentPage(file.stem, titles[0], Markup(html))


def _focusable(html: str) -> str:
    """Let the keyboard reach blocks that may be wider than the window, to scroll them."""
    return html.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">')


def _name_headings(tokens: Sequence[Token]) -> Iterator[str]:
    """Give headings the ids that links expect (words and hyphens); yield their texts."""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            parts = inline.children or ()
            text = "".join(part.content for part in parts if part.type in ("text", "code_inline"))
            opening.attrSet("id", re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
            yield text


def _align(token: Token) -> None:
    """Align columns of numbers by a class: the site's policy forbids inline styles."""
    style = token.attrs.pop("style", None)
    if style == "text-align:right":
        token.attrSet("class", "number")


def _linked(parts: Sequence[Token]) -> Iterator[Token]:
    """Yield the parts of a line: links between pages adapted, links into the clone removed."""
    dropped = False
    for part in parts:
        if part.type == "link_open":
            target = _target(str(part.attrs["href"]))
            dropped = target is None
            if target is not None:
                part.attrSet("href", target)
        if not (dropped and part.type in ("link_open", "link_close")):
            yield part


def _target(link: str) -> str | None:
    """Return the address of a link on the site, or None if the file is only in a clone."""
    if link.startswith(_ELSEWHERE):
        return link
    if link == SCRIPT:
        return f"/docs/{SCRIPT}"
    match = _LINK.fullmatch(link)
    if match is None or (match[1] is not None and match[1] not in NAMES):
        return None
    return f"{'' if match[1] is None else f'/docs/{match[1]}'}{match[2] or ''}"

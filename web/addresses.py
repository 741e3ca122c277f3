"""The addresses of pages: a path may begin with a language, and its links then do, too.

`/de/matches` is `/matches` in German; `/matches` itself is in the language that the visitor chose
or the browser prefers. What is the same in all languages has one address, without any: see PLAIN.
The language is a part of the script root, so Flask puts it into every link by itself.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import quote, unquote, urlencode, urlsplit

from flask import Blueprint, Flask, current_app, redirect, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.routing import IntegerConverter

from ladder.errors import NotFound
from web.languages import COOKIE, COOKIE_LIFETIME, IN_PATH, LANGUAGES, in_path
from web.security import came_from, next_path, public_root
from web.traffic import shown_path

PLAIN: Final = (
    "/api/",
    "/apple-touch-icon.png",
    "/downloads/",
    "/favicon.ico",
    "/healthz",
    "/language/",
    "/robots.txt",
    "/sitemap.xml",
    "/static/",
)
"""How paths begin that have no language: each of these things is the same in all of them."""

_TELLING: Final = ("seats",)
"""The parameters that make another page; all others choose a part of one, or a moment."""
PRIVATE: Final = frozenset(
    {"accounts", "entrance", "operator", "own_bots", "packages", "submissions"}
)
"""The blueprints whose pages are for those who are signed in, and not for search engines."""
_SAFE: Final = "/:@!$&'()*+,;=~"
"""Characters that stay as they are in a path."""

_Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]

blueprint = Blueprint("addresses", __name__)


class _Number(IntegerConverter):
    """A number in a path, of ASCII digits alone, written in one way: a page has one address."""

    regex = "0|[1-9][0-9]*"


class Site(Flask):
    """A Flask that leaves the language out of links to what has none, and secrets out of logs."""

    def url_for(self, /, endpoint: str, **values: Any) -> str:
        """Return the address of an endpoint, in the language of the request's own path."""
        url = super().url_for(endpoint, **values)
        code = in_path()
        if code is None:
            return url
        path = urlsplit(url).path
        rest = path.removeprefix(f"/{code}")
        return url.replace(path, rest, 1) if rest.startswith(PLAIN) else url

    def log_exception(self, exc_info: Any) -> None:
        """Log an error of ours with what may be known of the request's path."""
        path = shown_path(request.environ)
        self.logger.error("Exception on %s [%s]", path, request.method, exc_info=exc_info)


def init_app(app: Flask) -> None:
    """Read language and numbers of each request from its path; give templates what they link to."""
    app.url_map.converters["int"] = _Number
    app.wsgi_app = _with_languages(app.wsgi_app)  # type: ignore[assignment,method-assign]
    app.jinja_env.globals.update(
        own_address=own_address,
        is_public=is_public,
        language_in_path=in_path,
        whole_address=whole_address,
    )
    app.add_template_filter(in_language)


@blueprint.get("/language/<code>")
def switch(code: str) -> ResponseReturnValue:
    """Remember this language in a cookie, and go to the page ?next= in it.

    A plain link for each language: it works without JavaScript.
    """
    if code not in LANGUAGES:
        raise NotFound(
            "the site is not available in that language, but in these: %(codes)s",
            codes=", ".join(LANGUAGES),
        )
    answer = redirect(f"/{code}{_split(next_path() or '/')[1]}", 303)
    answer.set_cookie(
        COOKIE,
        code,
        max_age=COOKIE_LIFETIME,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def own_address() -> str:
    """Return the path and query of this page, to come back to it in the same language."""
    return request.script_root + request.full_path.rstrip("?")


def way_back() -> str | None:
    """Return the page that the browser came from, to lead back to it after a refusal.

    Return None if the way would end in another refusal: for the refused page itself, maybe in
    another language, and for the address of a form that is no page.
    """
    page = came_from()
    if page is None:
        return None
    path = unquote(_split(urlsplit(page).path)[1])
    if path == request.path and request.method in ("GET", "HEAD"):
        return None
    routes = current_app.create_url_adapter(request)
    return page if routes and routes.test(path, "GET") else None


def whole_address(code: str | None = None, at: int | None = None) -> str:
    """Return the whole URL of this page in a language; without one, that of all languages.

    It holds no more of the query than tells pages apart, such as the number of seats, and `at`,
    the moment that a shared link shows.
    """
    telling = [(name, request.args[name]) for name in _TELLING if request.args.get(name)]
    telling += [] if at is None else [("at", str(at))]
    path = quote(request.path, safe=_SAFE) + (f"?{urlencode(telling)}" if telling else "")
    return f"{public_root()}{f'/{code}' if code else ''}{path}"


def is_public() -> bool:
    """Return True if this is a page for everybody, so that search engines may show it."""
    return request.method in ("GET", "HEAD") and request.blueprint not in PRIVATE


def in_language(html: Markup) -> Markup:
    """Let links between documents, whose text is parsed once for all, keep the page's language."""
    root = request.script_root
    # Of the plain text: a Markup would escape the quotes that it puts in.
    return Markup(str(html).replace('href="/docs/', f'href="{root}/docs/')) if root else html


def _split(path: str) -> tuple[str | None, str]:
    """Return the language that a path begins with, if it is one that may, and the rest."""
    code, _, rest = path[1:].partition("/")
    rest = f"/{rest}"
    return (code, rest) if code in LANGUAGES and not rest.startswith(PLAIN) else (None, path)


def _with_languages(answer: _Wsgi) -> _Wsgi:
    def split(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        code, path = _split(environ.get("PATH_INFO", ""))
        if code is not None:
            environ["SCRIPT_NAME"] = f"{environ.get('SCRIPT_NAME', '')}/{code}"
            environ["PATH_INFO"], environ[IN_PATH] = path, code
        return answer(environ, start_response)

    return split

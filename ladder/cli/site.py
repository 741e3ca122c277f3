"""The site that a command talks to: --site or SANTIAGO_SITE; the token: SANTIAGO_API_TOKEN."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click

from ladder.cli.client import SITE, Site

_HERE: Final = "http://127.0.0.1:8000"


def site_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option for a site; the command gets it as `site`."""

    @click.option(
        "--site",
        "url",
        metavar="URL",
        default=_HERE,
        show_default=True,
        envvar=SITE,
        show_envvar=True,
        help="Where the ladder's site is. Your token is read from SANTIAGO_API_TOKEN.",
    )
    @wraps(command)
    def with_site(*, url: str, **others: Any) -> Any:
        return command(site=Site.from_environment(url), **others)

    return with_site

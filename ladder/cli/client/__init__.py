"""A ladder's site as programs use it: its JSON API, by a token."""

from ladder.cli.client.errors import SiteError
from ladder.cli.client.site import SITE, TOKEN, Site

__all__ = ["SITE", "TOKEN", "Site", "SiteError"]

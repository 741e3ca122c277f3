"""Proxies in front of the site: only behind them is their word about the visitor taken."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from ladder.errors import SettingsError

VARIABLE: Final = "SANTIAGO_PROXIES"


def init_app(app: Flask, environ: Mapping[str, str] = os.environ) -> None:
    """Take address, scheme and host from the headers of as many proxies as there are.

    Their number stands in SANTIAGO_PROXIES, none by default. Raises SettingsError.
    """
    text = environ.get(VARIABLE, "").strip() or "0"
    if not (text.isascii() and text.isdigit()):
        raise SettingsError(f"{VARIABLE} is {text!r}: give the number of proxies before the site")
    if count := int(text):
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=count, x_proto=count, x_host=count
        )

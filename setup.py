"""What pyproject.toml cannot say: with SANTIAGO_COMPILE=1 the rules are compiled (make build).

The compiled core is the same Python source, through mypyc. Without the variable nothing is
compiled and no compiler is needed.
"""

import os

from setuptools import setup

COMPILED = (
    "buildings",
    "cells",
    "citizens",
    "driving",
    "harbour",
    "layout",
    "moves",
    "options",
    "pieces",
    "playouts",
    "position",
    "ships",
    "state",
    "turn",
)
"""Modules of referee.rules through which every move of a game passes."""

if os.environ.get("SANTIAGO_COMPILE") == "1":
    from mypyc.build import mypycify

    sources = [f"referee/rules/{name}.py" for name in COMPILED]
    extensions = mypycify(sources, opt_level="3", group_name="santiago_rules")
else:
    extensions = []

setup(ext_modules=extensions)

"""Compiles the rules if SANTIAGO_COMPILE=1 (make build), which pyproject.toml cannot express.

The compiled core is the same Python source, through mypyc. Without the variable nothing is
compiled and no compiler is needed.
"""

import os

from setuptools import setup

COMPILED = (
    "cells",
    "city",
    "legal_moves",
    "moves",
    "pieces",
    "playouts",
    "position",
    "turn",
)
"""The modules of referee.rules that every move of a game passes."""

if os.environ.get("SANTIAGO_COMPILE") == "1":
    from mypyc.build import mypycify

    sources = [f"referee/rules/{name}.py" for name in COMPILED]
    level = os.environ.get("MYPYC_OPT_LEVEL", "3")
    extensions = mypycify(sources, opt_level=level, group_name="santiago_rules")
else:
    extensions = []

setup(ext_modules=extensions)

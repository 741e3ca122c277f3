"""Compiles the core if SANTIAGO_COMPILE=1 (make build), which pyproject.toml cannot express.

The core is the rules, and the searches of the engine and the planner: the same Python source,
compiled by mypyc. Without the variable nothing is compiled and no compiler is needed.
"""

import os

from setuptools import setup

CORE = (
    "referee/rules/cells.py",
    "referee/rules/city.py",
    "referee/rules/legal_moves.py",
    "referee/rules/moves.py",
    "referee/rules/pieces.py",
    "referee/rules/playouts.py",
    "referee/rules/position.py",
    "referee/rules/turn.py",
    "referee/engine/evaluation.py",
    "referee/engine/features.py",
    "referee/engine/fields.py",
    "referee/engine/network.py",
    "referee/engine/prices.py",
    "referee/engine/priors.py",
    "referee/engine/search.py",
    "referee/engine/shares.py",
    "referee/engine/stored.py",
    "referee/engine/tree.py",
    "referee/engine/worth.py",
    "sample_bots/planner/search.py",
)
"""What every move of a game passes, and every look of a search."""

if os.environ.get("SANTIAGO_COMPILE") == "1":
    from mypyc.build import mypycify

    levels = {
        "opt_level": os.environ.get("MYPYC_OPT_LEVEL", "3"),
        "debug_level": os.environ.get("MYPYC_DEBUG_LEVEL", "1"),
    }
    extensions = mypycify(list(CORE), **levels, group_name="santiago_rules")
    if os.name == "posix":
        # Functions that nobody else can replace may be inlined: 10 % faster. To look for what to
        # warn of in the C that mypyc wrote takes gcc 4 seconds. Python rounds a product before it
        # adds to it; on ARM gcc would not, and searches would find other values.
        flags = ["-fvisibility=hidden", "-Wno-all", "-ffp-contract=off"]
        for extension in extensions:
            extension.extra_compile_args += flags
else:
    extensions = []

setup(ext_modules=extensions)

"""How fast the parts are: `python -m benchmarks`."""

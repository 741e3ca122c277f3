"""Measure how fast the parts are: `python -m benchmarks`."""

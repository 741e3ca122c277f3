"""The tables, under their old names until all importers say `ladder.model`."""

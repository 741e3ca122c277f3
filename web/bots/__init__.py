"""Pages of bots: what everybody sees of one, and what its author does with it."""

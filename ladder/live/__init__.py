"""Live events of running matches, passed on through Redis; the database stays the truth."""

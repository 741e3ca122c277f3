"""Tournaments: making them, leading them from round to round, and how far they are."""

"""Create tournaments, take them from round to round, and read their progress."""

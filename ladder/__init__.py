"""The ladder: who exists, who plays next, who is best. Knows no page and no rule of the game."""

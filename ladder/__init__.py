"""Who exists, who plays next, who is best."""

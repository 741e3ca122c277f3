"""Local tournaments: for a bot author's own machine, without queue and database."""

"""Who plays whom: ladders and their matchmaking, pairings, tournaments."""

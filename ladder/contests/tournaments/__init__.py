"""Create tournaments, take them from round to round, and read their progress.

creating    checks what an organiser asks for; writes the entries and the first round
lifecycle   start, pause, resume, cancel, finish
rounds      writes the rounds
waiting     whom a tournament waits for
forfeits    decides the matches whose bots stay away
correcting  withdraws a bot, has forfeits played after all
lookup      tournaments, entry lists, progress and rounds as pages read them
"""

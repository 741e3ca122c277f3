"""The ladder: who exists, who plays next, who is best. It knows no page.

Each package imports only those that stand above it (checked by import-linter):

errors        what can go wrong, with sentences that say what to do
model/        tables, migrations, transactions, the clock; the states and what changes them
broker        clients of Redis, which notice silence
config        all settings; variables: what the text of each kind may be
secrets       secrets that must be read again, sealed
parts         the service's processes: signs of life, watchdog, health
jobs/         all that is done later, exactly once
people/       accounts, signing in, roles, tokens, notices, the audit
ratings/      ledger, Elo, strength, fairness, rebuilding; the ladders as pages show them
matches/      the match as a job: what it plays, what its result does, how it is read
analyses/     why a match was won: the engine's analysis as a job
puzzles/      decisions of analysed matches in which one move is better by far
bots/         bots and versions: submit, check (a job), trial, keep; how a bot is reached
seating       the players of a claimed match: dialled, behind the gateway, at a host
contests/     ladders and matchmaking, pairings, tournaments, challenges, cross tables
live/         events of running games: reported, through Redis to the site, followed there
casual/       games with people at the table, apart from the ladders
operating/    what operators see and do; exports, gauges for Prometheus
local/        `santiago play`: tournaments without queue and database
wiring        puts the parts together: the kinds of jobs, and what follows from a match
playing       a claimed match as the worker plays it, and its result
worker        the process that plays matches, checks versions and looks for bots
scheduler     the duties that come round: dispatch, reaping, matchmaking, strengths; metrics
embedded/     `santiago up` and `demo`: the whole service, with a host, as processes of one command
cli/          the command `santiago`, a module for each group of subcommands
"""

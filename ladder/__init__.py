"""The ladder: who exists, who plays next, who is best. It knows no page.

accounts/     people: signing in, roles, tokens, notices, the audit
bots/         submitting and checking bots, their versions and states, what their pages show
matches/      a match from queue to result: states, claims, results, setbacks, lists
matchmaking/  who meets whom on the ladders
pairings/     who meets whom in tournaments; tournaments/ leads them from round to round
standings/    the ladders as pages show them, and cross tables
ratings/      beyond the next result: rebuilding, annulling, strength, fairness
operating/    what admins see of the service and do where something is stuck
jobs/         all that is done later, exactly once
worker/       puts a worker together, which plays matches and checks versions
live/         what happens in a match, through Redis, while it is played
model/        tables, migrations, transactions, the clock
command/      `santiago`, a file a subcommand; starters/ is what `santiago bot new` writes
client/       a ladder's site as programs use it
local/        `santiago play`: tournaments without queue and database
embedded/     `santiago up`: the whole service as processes of one command

A result:          ledger (the order, and all that follows), elo, tallies
A ladder:          ladders (what each is set to), house (the sample bots on it), challenges, exports
The scheduler:     scheduler (its duties), gauges (its metrics)
The kinds of jobs: kinds, in the order of their priority
Reaching a bot:    addresses, dialling, secrets, reach (since when it is missed), mismatches (it is
                   another version)
Every process:     config, errors, guardian, sockets
"""

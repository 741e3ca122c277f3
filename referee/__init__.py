"""Runs one match of Santiago de Cuba: the rules, the wire, the clocks, the replay.

rules/        the game itself
seats/        who sits at a table: a bot over gRPC, redialled when its line breaks, or one in here;
              and what a bot says of itself
http2/        the line to a bot on this machine
gateway/      for bots that dial in since nobody can dial them; `joining` is the bot's side
replay/       the file, its simulation, verification, frames, trace
board         draws a position in the terminal
conformance/  does a bot keep to the protocol?
rl/           the game as a PettingZoo environment
wire/         generated from proto/

A match:      match (runs it), table (whose turn, on which clock), game (what happened), clock,
              dice, faults, results
Messages:     messages, move_messages, views, service (methods, limits, channel options)
The bot kit:  bot (its face), serving (makes it a process), follower (one game), proof (secrets)
All of these: ways (which addresses are dialled how), processes (bots that this program starts),
              metrics, spread, errors
"""

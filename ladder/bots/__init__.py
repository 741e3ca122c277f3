"""Bots: submitting and checking them, their versions and states, and what their pages show.

addresses     where a bot listens, whether it may be dialled there, and the ways to it
versions      which version of a bot plays; bots that the operator registers
own           an author's own bots and their versions; logs: at a glance, and
              what the referee saw of them
packages      what authors upload and builds make of it, in the database; quotas
uploads       what was uploaded, and what came of it: packages, logs of builds, output in matches
bans          packages and bundles that must not start anywhere
terms         the form of names, versions, addresses and secrets
submitting    a version handed in or withdrawn, and the token of a bot behind the gateway
hosts         the hosts of uploaded bots: which one takes work, and how they are
builds        a worker has a host build a package, and writes the log
building      the build of a version as a job
reports       a worker runs the conformance suite and reports what it found
trials        a new version's first match, and the places for versions under validation
checking      the check of a version as a job
reach         versions that are missed, and looked for
gateway       the bots and versions that are in at the gateway
availability  pausing, resuming and retiring a bot; how it behaved at its matches
clearing      drops uploads and bundles that no version needs any more
profiles      a bot's public page, and the list of all bots
authors       an author's public page, and finding one
meetings      two bots head to head, by table size and by seat
styles        how a bot plays, from its newest matches
"""

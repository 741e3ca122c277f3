"""Games as the browser shows them: replays, running games and the lobby."""

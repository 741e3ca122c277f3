"""Games as the browser shows them: replays, running games, casual games, and the lobby.

- `narration`, `choices`: what happened, and what a seat may choose, in sentences.
- `replays`: the document of a game, and the file.
- `stills`: a moment of a game, as the server shows it.
- `scripted`: games that the site plays itself: lessons, puzzles, best lines.
- `analysed`, `analysis_data`: why a game was won, on pages and for the viewer.
- `turning`: turning points in words.
- `boards`: the board at a moment, on pages and as a file.
- `channel`, `hub`: a running match for all its spectators, and the thread that reads the news.
- `watching`, `following`: pages of running matches, and of one after the other.
- `notes`: what bots say while they play, for their author.
- `tables`: casual games and their decisions.
- `local`: the viewer for one file, without a ladder.
"""

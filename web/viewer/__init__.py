"""Games as the browser shows them: replays, running games, casual games, and the lobby.

- `narration`, `choices`: what happened, and what a seat may choose, in sentences.
- `replays`: the document of a game, and the file.
- `stills`: a moment of a game, as the server shows it.
- `scripted`: games that the site plays itself: lessons, puzzles, best lines.
- `analyses`: why a match was won, as a page, for the viewer, and as JSON for programs.
- `analysis_data`: the viewer's document of an analysis, and turning points in words.
- `boards`: the board at a moment, on pages and as a file.
- `channel`, `hub`: a running match for all its spectators, and the thread that reads the news.
- `watching`, `following`: pages of running matches with the notes of bots; one after the other.
- `tables`: casual games and their decisions.
- `local`: the viewer for one file, without a ladder.
"""

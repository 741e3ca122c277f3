"""Draw the board as SVG, for any moment of a game: one source for pages, pictures and the viewer.

- `geometry`: where everything lies, in each form of the board.
- `shapes`: SVG elements as text.
- `town`, `tiles`: the parts of the drawing; `tiles` has their legends, too.
- `board`: the harbour and the whole board, and what the last step marks on it; also as a file of
  its own.
- `poster`: the small board: without a word, for lists; and with names and points, in PNG, for
  messengers.

`web.viewer.boards` gives them to pages, and serves the files.

What moves has its places in `data-` attributes: the viewer's script takes the drawing over and
moves things to them, so it knows no geometry.
"""

"""Draw the board as SVG, for any moment of a game: one source for pages, pictures and the viewer.

- `geometry`: where everything lies, in each form of the board.
- `shapes`: SVG elements as text.
- `town`, `tiles`, `harbour`, `pieces`: the parts of the drawing.
- `board`: the whole board, and what the last step marks on it.
- `legends`: what each tile does, in words.
- `pictures`: the board as a file of its own, and as PNG.
- `moments`: the moments of a match, and the addresses of its pictures.

What moves has its places in `data-` attributes: the viewer's script takes the drawing over and
moves things to them, so it knows no geometry.
"""

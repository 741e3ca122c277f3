"""Draw the board as SVG, for any moment of a game: one source for pages, pictures and the viewer.

- `geometry`: where everything lies, in each form of the board.
- `shapes`: SVG elements as text.
- `town`, `tiles`, `harbour`, `pieces`: the parts of the drawing.
- `board`: the whole board, and what the last step marks on it.
- `legends`: what each tile does, in words.
- `small`: the board without a word, for lists.
- `pictures`: the board as a file of its own.
- `moments`: what pages ask for: symbols, small boards, and the address of a board's picture.

What moves has its places in `data-` attributes: the viewer's script takes the drawing over and
moves things to them, so it knows no geometry.
"""

// The two forms of the board, as the server draws them: the wide one, then the tall one for narrow and low windows.

/** Whether the page is the viewer alone, in a frame on another site. */
export const FRAMED = document.documentElement.classList.contains("framed");

const QUERY = "screen and (max-width: 49.95rem), screen and (max-width: 73.45rem) and (max-height: 30rem)"; // as in replay.css
const FRAMED_QUERY = "(max-aspect-ratio: 5/6), (max-width: 33.95rem), (max-width: 48.45rem) and (min-height: 45rem), (max-width: 73.45rem) and (max-height: 25rem)"; // as in framed.css

/** Matches where the tall form is shown. */
export const TALL = matchMedia(FRAMED ? FRAMED_QUERY : QUERY);

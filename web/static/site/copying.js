// Lines to copy: their buttons need scripts, so they are hidden without.

import { copying } from "../replays/copy.js";

for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
copying(document);

// The one script of the viewer's page, with all that it imports.

import "../site/page.js";
import "./replay.js";

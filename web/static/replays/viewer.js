// The one script of the viewer's page, with all that it imports.

import "../site/times.js";
import "./replay.js";

// What every page has.

import "./languages.js";
import "./once.js";
import "./times.js";

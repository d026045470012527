// The page for addresses where nothing is.
import {site} from '/assets/shell.js';

site();

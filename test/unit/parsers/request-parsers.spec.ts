import { readHostileTexts, readHostileTextsYielding } from './read-hostile-texts.js';
import { REQUEST_PARSERS, YIELDING_PARSERS } from './request-parsers.js';

readHostileTexts(REQUEST_PARSERS);
readHostileTextsYielding(YIELDING_PARSERS);

import { PROTOCOL_PARSERS } from './protocol-parsers.js';
import { readHostileTexts } from './read-hostile-texts.js';

readHostileTexts(PROTOCOL_PARSERS);

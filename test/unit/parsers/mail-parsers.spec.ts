import { MAIL_PARSERS } from './mail-parsers.js';
import { readHostileTexts } from './read-hostile-texts.js';

readHostileTexts(MAIL_PARSERS);

import { decodeEncodedWords } from '../parse/encoded-words.js';
import { readStructuredValue } from '../parse/structured-value.js';
import { headerProblem } from './compose-message.js';
import { isStructured, rfc5322Date, structuredField } from './encode-header.js';

/** Header fields: their values as text, and their form in a message. */
export const headerFields = {
  decode: decodeEncodedWords,
  problemOf: headerProblem,
  isStructured,
  readStructured: readStructuredValue,
  writeStructured: structuredField,
  date: rfc5322Date,
};

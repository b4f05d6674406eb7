import { octetEncoder } from './encode-header.js';
import { ENCODED_TEXT, encodePhrases } from './encode-phrases.js';
import { parameterName, readStructuredValue, splitOutsideQuotes } from '../parse/structured-value.js';

const HIGH = /[^\0-\x7f]/;
/** RFC 2231 §7, attribute-char. */
const ATTRIBUTE = /[A-Za-z0-9!#$&+\-.^_`{|}~]/;
/** Characters of a section, which with its name and number fits into a line of 78. */
const SECTION = 50;

/**
 * Converts a value with parameters (RFC 2045 §5.1) to ASCII: a parameter with raw non-ASCII text is encoded by RFC 2231,
 * its sections joined; the others stay as they are. Null where the word before them cannot be expressed in ASCII.
 */
export function encodeParameters(name: string, value: string): string | null {
  const [first, ...assignments] = splitOutsideQuotes(value);
  const { parameters } = readStructuredValue(value);
  const raw = new Set(assignments.filter((one) => HIGH.test(one)).map(baseName));
  const kept = assignments.flatMap((assignment) => {
    const base = baseName(assignment);
    if (!raw.has(base)) return [assignment];
    const text = parameters.get(base);
    // Once: the other sections were joined with the first one.
    parameters.delete(base);
    return text === undefined ? [] : extendedParameter(base, text);
  });
  const head = encodePhrases(name, first, ENCODED_TEXT);
  return head === null ? null : [head, ...kept].join(';');
}

/** '' where the assignment is not a parameter. */
function baseName(assignment: string): string {
  const base = parameterName(assignment)?.[1] ?? '';
  return HIGH.test(base) ? '' : base;
}

/** One assignment, or one for each section of a long value (RFC 2231 §3 and §4.1). */
function extendedParameter(name: string, text: string): string[] {
  const sections = [''];
  for (const character of text) {
    const code = percentCode(character);
    if (sections[sections.length - 1].length + code.length > SECTION) sections.push('');
    sections[sections.length - 1] += code;
  }
  sections[0] = `utf-8''${sections[0]}`;
  if (sections.length === 1) return [` ${name}*=${sections[0]}`];
  return sections.map((section, index) => ` ${name}*${index}*=${section}`);
}

const percentCode = octetEncoder('%', ATTRIBUTE);

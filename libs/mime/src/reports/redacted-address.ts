/** Words that stand in the place of a local part. */
const WORDS = /^(?:redacted|removed|hidden|undisclosed|anonym\w*|private|privacy|masked|null|x{3,})(?:[-_. ].*)?$/i;
const MARKS = /[*<>[\](){}]|\.{3}|…/;
/** RFC 6590 §2 suggests a digest; in hexadecimal, or in base64 with the case of its letters mixed. */
const HEX = /^[0-9a-f]{24,}$/i;
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/=])[A-Za-z0-9+/_-]{16,}={0,2}$/;

/** True where a report hides whom an address belongs to (RFC 6590): by a word, a mark or a digest. */
export function isRedacted(address: string): boolean {
  const local = address.slice(0, address.lastIndexOf('@'));
  return WORDS.test(local) || MARKS.test(local) || HEX.test(local) || BASE64.test(local);
}

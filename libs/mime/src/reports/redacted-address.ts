/** Words that stand in the place of a local part, or close it. */
const WORDS =
  /^(?:redacted|removed|hidden|undisclosed|anonym\w*|private|privacy|masked|null|x{3,})(?:[-_. ].*)?$|[-_.]redacted$/i;
const MARKS = /[*<>[\](){}]|\.{3}|…/;
/** RFC 6590 §2 suggests a digest; in base64 with the case of its letters mixed, in base32, or in hexadecimal. */
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/=])[A-Za-z0-9+/_-]{16,}={0,2}$/;
const BASE32 = /^[a-z2-7]{24,}$/i;
const HEX = /^[0-9a-f]{8,}$/i;
const LONG = 24;
/** Letters and figures by turns: a name has its figures in one place, and one of figures alone belongs to somebody. */
const MIXED = 4;
const RUN = /[0-9]+|[a-z]+/gi;
/** RFC 2606 §2, and what is no domain of any mail that came from elsewhere. */
const NOWHERE = /^(?:[^.]*|.*\.invalid)$/i;

/** True where a report hides whom an address belongs to (RFC 6590): by a word, a mark, a digest or a domain of nobody's. */
export function isRedacted(address: string): boolean {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return NOWHERE.test(address.slice(at + 1)) || WORDS.test(local) || MARKS.test(local) || isDigest(local);
}

function isDigest(local: string): boolean {
  if (BASE64.test(local)) return true;
  const mixed = (local.match(RUN)?.length ?? 0) >= MIXED;
  return HEX.test(local) ? mixed || local.length >= LONG : mixed && BASE32.test(local);
}

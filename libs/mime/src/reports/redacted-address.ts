/** Words that replace or end a local part. */
const WORDS =
  /^(?:redacted|removed|hidden|undisclosed|anonym[a-z0-9]*|private|privacy|masked|null|x{3,})(?:[-_. ].*)?$|[-_.]redacted$/i;
const MARKS = /[*<>[\](){}]|\.{3}|…/;
/** RFC 6590 §2 suggests a digest: in base64 with letters of both cases, in base32 or in hexadecimal. */
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/=])[A-Za-z0-9+/_-]{16,}={0,2}$/;
const BASE32 = /^[a-z2-7]{24,}$/i;
const HEX = /^[0-9a-f]{8,}$/i;
const LONG = 24;
/** Runs of letters and digits in a digest. A name has its digits in one place, and digits alone may be an address. */
const MIXED_RUNS = 4;
const RUN = /[0-9]+|[a-z]+/gi;
/** Not a domain of the Internet: one label, or reserved by RFC 2606 §2. */
const NOWHERE = /^(?:[^.]*|.*\.invalid)$/i;

/** True where a report hides the owner of an address (RFC 6590): by a word, a mark, a digest or an invalid domain. */
export function isRedacted(address: string): boolean {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return NOWHERE.test(address.slice(at + 1)) || WORDS.test(local) || MARKS.test(local) || isDigest(local);
}

function isDigest(local: string): boolean {
  if (BASE64.test(local)) return true;
  const mixed = (local.match(RUN)?.length ?? 0) >= MIXED_RUNS;
  return HEX.test(local) ? mixed || local.length >= LONG : mixed && BASE32.test(local);
}

/** `code`, then the enhanced code and the sentence. */
export type Reply = readonly [code: number, text: string];

/** RFC 5321 §4.5.3.1.5: 512 octets with code and line end. */
const MAX_TEXT = 500;
/** A reply of ours that brings its own enhanced code (RFC 2034) does not get a second one. */
export const OWN_ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;
/** RFC 5321 §4.2: a reply is printable ASCII, whatever a sentence quotes. */
const NOT_PRINTABLE = /[^\x20-\x7e]+/g;

/** RFC 3463 §3.4, the status of a mail system: the client may wait in the same session for its end. */
const OUR_TROUBLE = /^4\.3\./;
/** RFC 5321 §4.5.3.1.10: the client goes on with those that were taken. */
const TOO_MANY_RECIPIENTS = '4.5.3 Too many recipients. Send to the rest in a new transaction';
export const SUPPRESSED_RECIPIENT = '5.7.1 This address is on the suppression list';

/** Refused through no fault of the client: a list of recipients may be long, and may know nothing of suppressions. */
export const blamesNobody = (text: string): boolean =>
  OUR_TROUBLE.test(text) || text === TOO_MANY_RECIPIENTS || text.startsWith(SUPPRESSED_RECIPIENT);

const STARTTLS_FIRST = '5.7.0 Must issue a STARTTLS command first';
const NO_LOGIN_DATA = '5.5.2 The login data cannot be read';

/** Replies of the library whose code, enhanced code or sentence is another one here, by the library's words. */
const MENDED = new Map<string, Reply>([
  // RFC 4954 §6 and §4: 530, not 538; 5.7.0 for a cancelled exchange; 5.5.2 for data that cannot be decoded.
  ['Error: Must issue a STARTTLS command first', [530, STARTTLS_FIRST]],
  ['Error: authentication Required', [530, '5.7.0 Authentication required']],
  ['Authentication aborted', [501, '5.7.0 Authentication cancelled']],
  ['Error: invalid userdata', [501, NO_LOGIN_DATA]],
  ['Error: missing username', [501, NO_LOGIN_DATA]],
  // The library takes the enhanced code of these from the name of the client's command.
  ['Error: command not recognized', [500, '5.5.2 Command not recognized']],
  ['Error: too many unrecognized commands', [421, '4.7.0 Too many unrecognized commands']],
  ['Error: too many unauthenticated commands', [421, '4.7.0 Too many commands without a login']],
  ['HTTP requests not allowed', [421, '4.7.0 This is no web server']],
  ['Server shutting down', [421, '4.3.2 The server is shutting down']],
  ['Error: Command line too long', [421, '4.7.0 Line too long']],
  ['Error: too many recipients', [452, TOO_MANY_RECIPIENTS]],
  // 2.1.5 would say that the address is valid, and nobody looked.
  ['Try to send something. No promises though', [252, '2.0.0 Addresses are judged when mail for them comes']],
  // What a door offers is in its answer to EHLO, and differs with the door and with TLS.
  ['See https://tools.ietf.org/html/rfc5321 for details', [214, '2.0.0 See RFC 5321, and the answer to EHLO']],
]);

/**
 * A reply as it leaves: what the library says wrongly is put right, and no line is longer than the standard's or has other
 * octets. `secure`: TLS stands.
 */
export function mendedReply(code: number, text: string, secure: boolean): Reply {
  const [mendedCode, sentence] = MENDED.get(text) ?? [code, text];
  // RFC 3207 §4: who has not begun TLS is asked for that, not for a login.
  if (mendedCode === 530 && !secure) return [530, STARTTLS_FIRST];
  return [mendedCode, sentence.replace(NOT_PRINTABLE, '?').slice(0, MAX_TEXT)];
}

/** The lines of an answer to EHLO: AUTH is not offered before TLS. */
export const offeredLines = (lines: string[], secure: boolean): string[] =>
  secure ? lines : lines.filter((line) => !line.startsWith('AUTH'));

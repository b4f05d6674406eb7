/** A reply code, then its enhanced status code and text. */
export type Reply = readonly [code: number, text: string];

/** RFC 5321 §4.5.3.1.5 allows 512 octets including the code and the line end. */
const MAX_TEXT = 500;
/** A reply that begins with an enhanced status code (RFC 2034) does not get a second one from the library. */
export const OWN_ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;
/** RFC 5321 §4.2: a reply is printable ASCII, whatever it quotes. */
const NOT_PRINTABLE = /[^\x20-\x7e]+/g;

/** RFC 3463 §3.4, a status of the mail system: the client may wait in the same session until it is over. */
const SYSTEM_STATUS = /^4\.3\./;
/** RFC 5321 §4.5.3.1.10: the client continues with the accepted recipients. */
const TOO_MANY_RECIPIENTS = '4.5.3 Too many recipients. Send to the rest in a new transaction';
export const SUPPRESSED_RECIPIENT = '5.7.1 This address is on the suppression list';

/**
 * Rejections that are not the client's fault do not count as errors: a client may have many recipients and cannot know
 * which of them are suppressed.
 */
export const isNotClientFault = (text: string): boolean =>
  SYSTEM_STATUS.test(text) || text === TOO_MANY_RECIPIENTS || text.startsWith(SUPPRESSED_RECIPIENT);

const STARTTLS_FIRST = '5.7.0 Must issue a STARTTLS command first';
const UNREADABLE_LOGIN = '5.5.2 The login data cannot be read';

/** Replies of the library that are sent with another code, enhanced code or text, by the text of the library. */
export const CORRECTIONS = new Map<string, Reply>([
  // RFC 4954 §6 and §4: 530, not 538; 5.7.0 for a cancelled exchange; 5.5.2 for data that cannot be decoded.
  ['Error: Must issue a STARTTLS command first', [530, STARTTLS_FIRST]],
  ['Error: authentication Required', [530, '5.7.0 Authentication required']],
  ['Authentication aborted', [501, '5.7.0 Authentication cancelled']],
  ['Error: invalid userdata', [501, UNREADABLE_LOGIN]],
  ['Error: missing username', [501, UNREADABLE_LOGIN]],
  // The library derives the enhanced code of these from the name of the client's command.
  ['Error: command not recognized', [500, '5.5.2 Command not recognized']],
  ['Error: too many unrecognized commands', [421, '4.7.0 Too many unrecognized commands']],
  ['Error: too many unauthenticated commands', [421, '4.7.0 Too many commands without a login']],
  ['HTTP requests not allowed', [421, '4.7.0 This is no web server']],
  ['Server shutting down', [421, '4.3.2 The server is shutting down']],
  ['Error: Command line too long', [421, '4.7.0 Line too long']],
  ['Error: too many recipients', [452, TOO_MANY_RECIPIENTS]],
  // 2.1.5 would mean that the address is valid, which was not checked.
  ['Try to send something. No promises though', [252, '2.0.0 Addresses are judged when mail for them comes']],
  // The reply to EHLO lists the available commands, which differ with the listener and with TLS.
  ['See https://tools.ietf.org/html/rfc5321 for details', [214, '2.0.0 See RFC 5321, and the answer to EHLO']],
]);

/** A reply as it is sent: corrected, printable and not longer than the RFC allows. `secure`: TLS is active. */
export function correctedReply(code: number, text: string, secure: boolean): Reply {
  const [correctedCode, sentence] = CORRECTIONS.get(text) ?? [code, text];
  // RFC 3207 §4: without TLS the client is asked for STARTTLS, not for a login.
  if (correctedCode === 530 && !secure) return [530, STARTTLS_FIRST];
  return [correctedCode, sentence.replace(NOT_PRINTABLE, '?').slice(0, MAX_TEXT)];
}

/** The lines of the reply to EHLO: AUTH is not offered before TLS. */
export const ehloLines = (lines: string[], secure: boolean): string[] =>
  secure ? lines : lines.filter((line) => !line.startsWith('AUTH'));

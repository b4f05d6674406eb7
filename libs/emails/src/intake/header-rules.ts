/**
 * Which header fields a caller may add (D-15). Refused are those that Postloft makes itself, those that others add on
 * the way, and those that would change who gets the mail or what a receiver believes of it.
 */
const REFUSED = new Set([
  'apparently-to',
  'authentication-results',
  'bcc',
  'cc',
  'date',
  'delivered-to',
  'dkim-signature',
  'from',
  'message-id',
  'mime-version',
  'received',
  'reply-to',
  'return-path',
  'sender',
  'subject',
  'to',
  'x-original-to',
]);
const REFUSED_FAMILIES = ['arc-', 'content-', 'resent-', 'x-service-'];
const NAME = /^[A-Za-z0-9-]{1,76}$/;

/** Null when the name may be used; otherwise what is wrong with it. */
export function headerNameProblem(name: string): string | null {
  if (!NAME.test(name)) return 'must have a name of letters, digits and "-"';
  const lower = name.toLowerCase();
  if (REFUSED.has(lower) || REFUSED_FAMILIES.some((family) => lower.startsWith(family)))
    return 'must not be set by the caller';
  return null;
}

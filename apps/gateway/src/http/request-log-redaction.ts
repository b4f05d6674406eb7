/** Native ids, and ids as clients of Resend write them. They contain neither an address nor a secret. */
const ID = /^(?:[a-z]{2,3}_[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** A segment of a path of the API. Keys have digits or upper-case letters, addresses other characters. */
const WORD = /^(?:v\d|[a-z][a-z-]{0,23})$/;
const MAX_SEGMENTS = 8;

interface RoutedRequest {
  is404: boolean;
  url: string;
  params: unknown;
  routeOptions: { url?: string | undefined };
}

/**
 * The path of a request without its query. Parameters that are not ids are replaced by their names, as in
 * `/suppressions/:email`. Of an unknown path only words and ids are kept, as in `/users/:text`.
 */
export function redactedPath({ is404, url, params, routeOptions }: RoutedRequest): string {
  const pattern = routeOptions.url;
  if (is404 || pattern === undefined) return unknownPath(url);
  if (!pattern.includes(':')) return pattern;
  const values = params as Record<string, string | undefined>;
  return pattern.replace(/:(\w+)/g, (placeholder, name: string) => {
    const value = values[name] ?? '';
    return ID.test(value) ? value : placeholder;
  });
}

function unknownPath(url: string): string {
  const segments = url.split('?', 1)[0].split('/', MAX_SEGMENTS + 2);
  const kept = segments
    .slice(1, MAX_SEGMENTS + 1)
    .map((segment) => (segment === '' || WORD.test(segment) || ID.test(segment) ? segment : ':text'));
  return `/${kept.join('/')}${segments.length > MAX_SEGMENTS + 1 ? '/…' : ''}`;
}

const USER_AGENT_LENGTH = 256;
const IS_ADDRESS = /@|%40/;
/** Product names can be as long as a secret, but have no digits. */
const MAYBE_SECRET = /[\w+=-]{20,}/g;
/** A quick check that lets almost all values pass without a closer look. */
const IS_SUSPICIOUS = /@|%40|[\w+=-]{20}/;

/**
 * The User-Agent header in at most 256 characters. Some clients send a contact address or their configuration in it, so
 * words that look like addresses or keys are replaced. Null if nothing is left. Runs in linear time.
 */
export function redactedUserAgent(header: string | undefined): string | null {
  if (header === undefined || header === '') return null;
  // Cut between words, because a part of a secret would not be recognised.
  const whole =
    header.length <= USER_AGENT_LENGTH
      ? header
      : header.slice(0, header.lastIndexOf(' ', USER_AGENT_LENGTH) + 1).trimEnd();
  const redacted = IS_SUSPICIOUS.test(whole) ? whole.replace(/[^\s()<>;,:]+/g, redactedWord) : whole;
  return redacted === '' ? null : redacted;
}

function redactedWord(word: string): string {
  if (IS_ADDRESS.test(word)) return ':address';
  return word.replace(MAYBE_SECRET, (part) => (/\d/.test(part) ? ':secret' : part));
}

import { isPublicAddress, parseUrl } from '#libs/kernel';
import { isIP } from 'node:net';

/** One problem of a URL. `message` says what is allowed and follows the name of the field. */
export interface TargetUrlProblem {
  code: string;
  message: string;
}

const URL_LENGTH = 2048;
const UNCLEAN = /[\s\\\p{Cc}\p{Cs}]/u;

/**
 * Ports of services that accept commands as text or have no access control, so that a POST could attack them (SSH, mail,
 * DNS, files, databases, caches, queues, cluster control).
 */
const DENIED_PORTS: ReadonlySet<number> = new Set([
  7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 79, 109, 110, 111, 113, 119, 123, 135, 137, 139,
  143, 161, 179, 389, 427, 445, 465, 512, 513, 514, 515, 532, 540, 548, 554, 587, 601, 631, 636, 873, 989, 990, 993,
  995, 1080, 1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 2525, 3128, 3306, 3389, 3659, 4190, 5060,
  5061, 5432, 5672, 5900, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9093, 9200,
  9300, 10080, 10250, 11211, 27017, 27018, 27019,
]);

const one = (code: string, message: string): TargetUrlProblem[] => [{ code, message }];

interface Allowed {
  /** http, private addresses and local names. */
  allowPrivate: boolean;
  /** http to public addresses. */
  allowHttp?: boolean;
}

/** Checks a URL that a customer chose, by its text alone: the addresses of its name are checked before every connection. */
export function targetUrlProblems(
  value: unknown,
  { allowPrivate, allowHttp = allowPrivate }: Allowed,
): TargetUrlProblem[] {
  if (typeof value !== 'string') return one('invalid_type', 'must be a string');
  // WHATWG parsing silently drops tabs and line breaks and converts backslashes; the URL shown must be the URL used.
  const url = value.length > URL_LENGTH || UNCLEAN.test(value) ? null : parseUrl(value);
  if (url === null)
    return one('invalid_url', `must be a URL of at most ${URL_LENGTH} characters without spaces and backslashes`);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    return one('invalid_scheme', allowHttp ? 'must start with https:// or http://' : 'must start with https://');
  return [...partProblems(url, value), ...hostProblems(url, allowPrivate)];
}

function partProblems(url: URL, value: string): TargetUrlProblem[] {
  const problems: TargetUrlProblem[] = [];
  if (url.username !== '' || url.password !== '')
    problems.push(...one('credentials_not_allowed', 'must not contain a user name or a password'));
  if (value.includes('#')) problems.push(...one('fragment_not_allowed', 'must not contain a fragment (#)'));
  if (url.port === '0' || DENIED_PORTS.has(Number(url.port)))
    problems.push(...one('port_not_allowed', `must not use port ${url.port}, which belongs to another service`));
  return problems;
}

function hostProblems(url: URL, allowPrivate: boolean): TargetUrlProblem[] {
  if (allowPrivate) return [];
  const host = hostOf(url);
  const isPublic = isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
  return isPublic ? [] : one('private_address', 'must be an address on the public internet');
}

/** The host without the brackets of an IPv6 literal. WHATWG parsing has normalised all numeric forms. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** False for names that are local by RFC 6761, 6762 or 8375 or have no dot; other names are checked by their addresses. */
function isPublicName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.');
  const top = labels.at(-1) ?? '';
  if (labels.length < 2) return false;
  return (
    !['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'onion'].includes(top) &&
    !host.replace(/\.$/, '').endsWith('.home.arpa')
  );
}

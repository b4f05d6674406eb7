import { parseMailbox } from '#libs/mime';
import type { HostedUnsubscribe } from '../unsubscribe/hosted-unsubscribe.js';
import { isRecord, type Rule, type RuleProblem } from './rule.js';

/** Rules of what a mail may ask for beside its content (D-21, D-24). */
const one = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];

export const SUPPRESSION_POLICIES = ['reject', 'skip'] as const;
export const suppressionPolicyRule: Rule = (value) =>
  SUPPRESSION_POLICIES.some((policy) => policy === value)
    ? []
    : one('invalid_value', `must be one of ${SUPPRESSION_POLICIES.join(', ')}`);

export const EXPIRES_IN = { least: 300, most: 432_000 } as const;
/** Seconds after which delivery is given up: five minutes to five days (details §10). */
export const expiresInRule: Rule = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= EXPIRES_IN.least && value <= EXPIRES_IN.most
    ? []
    : one('invalid_value', `must be a whole number of seconds from ${EXPIRES_IN.least} to ${EXPIRES_IN.most}`);

export const booleanRule: Rule = (value) =>
  typeof value === 'boolean' ? [] : one('invalid_type', 'must be a boolean');

export interface ListUnsubscribe {
  /** Where a client sends its one-click POST, and a person his browser; https. */
  url?: string;
  /** An address, or a mailto: URI. */
  mailto?: string;
  /** Announces RFC 8058: a POST to `url` unsubscribes without a further question. Without `url` the link is ours. */
  one_click?: boolean;
}

const MAX_URI = 900;
// What may stand between the angle brackets of RFC 2369 §2: printable ASCII without the brackets and separators.
const URI_CHARACTERS = /^[!#-;=?-~]+$/;

/** An object, or `true`: the same as `{one_click: true}`. */
export const listUnsubscribeRule: Rule = (value) => {
  if (value === true) return [];
  if (!isRecord(value)) return one('invalid_type', 'must be true, or an object with url, mailto and one_click');
  const { url, mailto, one_click } = value;
  if (url === undefined && mailto === undefined && (one_click === undefined || one_click === false))
    return one('required', 'must have url or mailto, or one_click: true for a link of this service');
  return [
    ...(url === undefined || isHttps(url)
      ? []
      : one('invalid_url', `must be an https URL of at most ${MAX_URI} characters`, '.url')),
    ...(mailto === undefined || isMailto(mailto)
      ? []
      : one('invalid_address', 'must be an address or a mailto: URI', '.mailto')),
    ...(one_click === undefined ? [] : booleanRule(one_click).map((problem) => ({ ...problem, path: '.one_click' }))),
  ];
};

function isHttps(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URI || !URI_CHARACTERS.test(value)) return false;
  return URL.canParse(value) && new URL(value).protocol === 'https:';
}

function isMailto(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URI || !URI_CHARACTERS.test(value)) return false;
  const [address] = value.replace(/^mailto:/i, '').split('?', 1);
  return !('problem' in parseMailbox(address));
}

/** The link that a value asks of this service, once its rule has passed it; undefined where it brings its own. */
export function hostedUnsubscribe(value: ListUnsubscribe | true | undefined): HostedUnsubscribe | undefined {
  if (value === true) return {};
  if (!value?.one_click || value.url !== undefined) return undefined;
  return value.mailto === undefined ? {} : { mailto: value.mailto.replace(/^mailto:/i, '') };
}

/**
 * The header fields of a value that its rule has passed (RFC 2369 §3.2, RFC 8058 §3.1). None where the link is ours: it
 * differs from recipient to recipient, so it is written when the mail goes out.
 */
export function listUnsubscribeHeaders(value: ListUnsubscribe | true | undefined): [name: string, value: string][] {
  if (value === undefined || value === true || hostedUnsubscribe(value)) return [];
  const { url, mailto, one_click } = value;
  const places = [
    ...(url === undefined ? [] : [`<${url}>`]),
    ...(mailto === undefined ? [] : [`<mailto:${mailto.replace(/^mailto:/i, '')}>`]),
  ];
  return [
    ['List-Unsubscribe', places.join(', ')],
    ...(one_click ? [['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'] as [string, string]] : []),
  ];
}

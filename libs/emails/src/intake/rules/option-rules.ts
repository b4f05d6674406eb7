import { parseUrl } from '#libs/kernel';
import type { Rule, RuleProblem } from '#libs/contracts';
import { parseMailbox } from '#libs/mime';
import { PRIORITIES } from '../../email.resource.js';
import type { HostedUnsubscribe } from '../../message/unsubscribe-link.js';
import { isRecord } from './rule.js';

/** Rules of the delivery options of an email. */
const oneProblem = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];

export const SUPPRESSION_POLICIES = ['reject', 'skip'] as const;
export const suppressionPolicyRule: Rule = (value) =>
  SUPPRESSION_POLICIES.some((policy) => policy === value)
    ? []
    : oneProblem('invalid_value', `must be one of ${SUPPRESSION_POLICIES.join(', ')}`);

export const priorityRule: Rule = (value) =>
  PRIORITIES.some((priority) => priority === value)
    ? []
    : oneProblem('invalid_value', `must be one of ${PRIORITIES.join(', ')}`);

export const EXPIRES_IN = { least: 300, most: 432_000 } as const;
/** Seconds after which delivery is given up: five minutes to five days. */
export const expiresInRule: Rule = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= EXPIRES_IN.least && value <= EXPIRES_IN.most
    ? []
    : oneProblem('invalid_value', `must be a whole number of seconds from ${EXPIRES_IN.least} to ${EXPIRES_IN.most}`);

export const booleanRule: Rule = (value) =>
  typeof value === 'boolean' ? [] : oneProblem('invalid_type', 'must be a boolean');

const TRACKING_MEMBERS = ['opens', 'clicks'];

/** An object with `opens` and `clicks`, both optional. */
export const messageTrackingRule: Rule = (value) => {
  if (!isRecord(value)) return oneProblem('invalid_type', 'must be an object with opens and clicks');
  return TRACKING_MEMBERS.flatMap((name) =>
    value[name] === undefined ? [] : booleanRule(value[name]).map((problem) => ({ ...problem, path: `.${name}` })),
  );
};

export interface ListUnsubscribe {
  /** https URL for one-click POST requests and for browsers. */
  url?: string;
  /** An address or a mailto: URI. */
  mailto?: string;
  /**
   * Announces RFC 8058: a POST to `url` unsubscribes without confirmation. Without `url`, the service provides the
   * link.
   */
  one_click?: boolean;
}

const MAX_URI = 900;
// Allowed between the angle brackets of RFC 2369 §2: printable ASCII without brackets and separators.
const URI_CHARACTERS = /^[!#-;=?-~]+$/;

/** An object, or `true`, which means `{one_click: true}`. */
export const listUnsubscribeRule: Rule = (value) => {
  if (value === true) return [];
  if (!isRecord(value)) return oneProblem('invalid_type', 'must be true, or an object with url, mailto and one_click');
  const { url, mailto, one_click } = value;
  if (url === undefined && mailto === undefined && (one_click === undefined || one_click === false))
    return oneProblem('required', 'must have url or mailto, or one_click: true for a link of this service');
  return [
    ...(url === undefined || isHttps(url)
      ? []
      : oneProblem('invalid_url', `must be an https URL of at most ${MAX_URI} characters`, '.url')),
    ...(mailto === undefined || isMailto(mailto)
      ? []
      : oneProblem('invalid_address', 'must be an address or a mailto: URI', '.mailto')),
    ...(one_click === undefined ? [] : booleanRule(one_click).map((problem) => ({ ...problem, path: '.one_click' }))),
  ];
};

function isHttps(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URI || !URI_CHARACTERS.test(value)) return false;
  return parseUrl(value)?.protocol === 'https:';
}

function isMailto(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URI || !URI_CHARACTERS.test(value)) return false;
  const [address] = value.replace(/^mailto:/i, '').split('?', 1);
  return !('problem' in parseMailbox(address));
}

/** The link that the service provides for a valid value; undefined if the value has its own. */
export function hostedUnsubscribe(value: ListUnsubscribe | true | undefined): HostedUnsubscribe | undefined {
  if (value === true) return {};
  if (!value?.one_click || value.url !== undefined) return undefined;
  return value.mailto === undefined ? {} : { mailto: value.mailto.replace(/^mailto:/i, '') };
}

/**
 * The header fields of a valid value (RFC 2369 §3.2, RFC 8058 §3.1). None if the service provides the link, which
 * differs per recipient and is added at delivery.
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

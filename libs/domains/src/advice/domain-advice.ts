import { LIMITS } from '#libs/contracts';
import type { DomainRecord, DomainView } from '../domain.resource.js';
import type { DomainAdvice } from './advice.resource.js';
import type { RecordKind } from '../model/expected-records.js';
import { readTagList } from '../verification/dkim-rule.js';

type AdviceSeverity = DomainAdvice['severity'];

/** Settled recipients of the last days, the rates of docs/statistics.md, and where most of the failures were. */
export interface DomainTraffic {
  settled: number;
  /** Shares from 0 to 1. */
  bounceRate: number;
  complaintRate: number;
  bounceReasons: readonly Share[];
  bounceProviders: readonly Share[];
  complaintProviders: readonly Share[];
}

interface Share {
  name: string;
  count: number;
}

export interface AdviceFacts {
  domain: DomainView;
  /** Null: the statistics could not be read. */
  traffic: DomainTraffic | null;
  now: Date;
}

interface Rule {
  code: string;
  severity: AdviceSeverity;
  /** A sentence or more for each finding. */
  find: (facts: AdviceFacts) => Found[];
}
type Found = Pick<DomainAdvice, 'message'> & Partial<Pick<DomainAdvice, 'publish' | 'page'>>;

/** The traffic that advice is about. With fewer recipients a rate says nothing. */
export const ADVICE_TRAFFIC = { days: 7, minimumRecipients: LIMITS.judgedRecipients };
/** Shares from which mailbox providers act, and from which a rate should be watched; the overview shows the same. */
const BOUNCES = { limit: 0.05, watch: 0.02 };
const COMPLAINTS = { limit: 0.003, watch: 0.001 };
/** M3AAWG recommends new DKIM keys at least every six months. */
const KEY_DAYS = 180;
const DAY_MS = 86_400_000;
const WEIGHTS: Record<AdviceSeverity, number> = { critical: 0, warning: 1, info: 2 };
const NAMED = 2;

/** The advice about a domain, the most severe first; empty: nothing to do. */
export function domainAdvice(facts: AdviceFacts): DomainAdvice[] {
  return ADVICE_RULES.flatMap(({ code, severity, find }) =>
    find(facts).map(({ message, publish = null, page = null }) => ({ code, severity, message, publish, page })),
  ).toSorted((a, b) => WEIGHTS[a.severity] - WEIGHTS[b.severity]);
}

/** One rule per line of the table in docs/domains.md. */
export const ADVICE_RULES: readonly Rule[] = [
  {
    code: 'record_lost',
    severity: 'critical',
    find: ({ domain }) => (domain.status === 'pending' ? [] : unverified(domain).map(toPublish)),
  },
  {
    code: 'record_pending',
    severity: 'warning',
    find: ({ domain }) => {
      const names = domain.status === 'pending' ? unverified(domain).map(({ record }) => record) : [];
      if (names.length === 0) return [];
      return [
        {
          message: `The domain may send once these records are verified: ${names.join(', ')}. Publish them as listed.`,
          page: 'records',
        },
      ];
    },
  },
  {
    code: 'record_warning',
    severity: 'warning',
    find: ({ domain }) =>
      ofKind(domain, 'SPF')
        .filter(({ status, error }) => status === 'verified' && error !== null)
        .map(({ error }) => ({ message: `SPF: ${error}` })),
  },
  {
    code: 'tracking_without_host',
    severity: 'warning',
    find: ({ domain }) =>
      (domain.open_tracking || domain.click_tracking) && !isVouched(domain)
        ? absent(
            domain,
            'Tracking',
            'Tracking is on but has no effect until this record is verified. Publish it, or turn tracking off.',
          ).map((found) => ({ ...found, page: 'settings' }))
        : [],
  },
  {
    code: 'dkim_rotation_pending',
    severity: 'warning',
    find: ({ domain: { dkim, records } }) =>
      dkim.rotation?.status !== 'pending'
        ? []
        : records
            .filter(({ record, required, status, observed }) => {
              return (
                record === 'DKIM' && !required && (status === 'pending' || status === 'failed') && observed.length === 0
              );
            })
            .slice(0, 1)
            .map(() => ({
              message: `New DKIM keys have waited for their records since ${dateOf(dkim.rotation?.started_at)}. Publish the pending DKIM records, or cancel the rotation.`,
              page: 'dkim' as const,
            })),
  },
  {
    code: 'dkim_key_old',
    severity: 'info',
    find: ({ domain: { dkim }, now }) => {
      const days = dkim.signing_since === null ? 0 : Math.floor((+now - Date.parse(dkim.signing_since)) / DAY_MS);
      if (days < KEY_DAYS || dkim.rotation !== null) return [];
      return [{ message: `The DKIM key has signed for ${days} days. Rotate it at least twice a year.`, page: 'dkim' }];
    },
  },
  {
    code: 'dmarc_none',
    severity: 'info',
    find: ({ domain }) => dmarcOf(domain).flatMap(({ record, tags }) => relaxedPolicy(record, tags)),
  },
  {
    code: 'dmarc_without_reports',
    severity: 'info',
    find: ({ domain }) =>
      dmarcOf(domain)
        .filter(({ tags }) => !tags.has('rua'))
        .map(() => ({
          message:
            'The DMARC record names no address for reports (rua), so nobody learns of forged messages and of senders without authentication. Add one.',
        })),
  },
  {
    code: 'no_return_path',
    severity: 'info',
    find: ({ domain }) =>
      absent(
        domain,
        'Return-Path',
        'Bounces go to a name of the service, so DMARC rests on DKIM alone. This record aligns SPF with the domain.',
      ),
  },
  {
    code: 'no_tls_reports',
    severity: 'info',
    find: ({ domain }) =>
      absent(
        domain,
        'TLS-RPT',
        'If the domain receives mail, this record asks senders for reports about failed TLS. It belongs beside an MTA-STS policy or DANE.',
      ),
  },
  {
    code: 'bounce_rate_high',
    severity: 'critical',
    find: ({ traffic }) => bounceRate(traffic, BOUNCES.limit, Number.POSITIVE_INFINITY),
  },
  {
    code: 'bounce_rate_raised',
    severity: 'warning',
    find: ({ traffic }) => bounceRate(traffic, BOUNCES.watch, BOUNCES.limit),
  },
  {
    code: 'complaint_rate_high',
    severity: 'critical',
    find: ({ traffic }) => complaintRate(traffic, COMPLAINTS.limit, Number.POSITIVE_INFINITY),
  },
  {
    code: 'complaint_rate_raised',
    severity: 'warning',
    find: ({ traffic }) => complaintRate(traffic, COMPLAINTS.watch, COMPLAINTS.limit),
  },
  {
    code: 'statistics_unavailable',
    severity: 'info',
    find: ({ traffic }) =>
      traffic === null ? [{ message: 'The rates of bounces and complaints cannot be read at the moment.' }] : [],
  },
];

const ofKind = ({ records }: DomainView, kind: RecordKind): DomainRecord[] =>
  records.filter(({ record }) => record === kind);

const unverified = ({ records }: DomainView): DomainRecord[] =>
  records.filter(({ required, status }) => required && status !== 'verified' && status !== 'vouched');

/** Tracking links then use the host of the service. */
const isVouched = ({ records }: DomainView): boolean => records.some(({ status }) => status === 'vouched');

function toPublish({ record, type, name, value, observed, error }: DomainRecord): Found {
  const problem = observed.length === 0 ? 'is not in DNS' : 'is in DNS with another value';
  return { message: `The required ${record} record ${problem}. ${error ?? ''}`.trim(), publish: { type, name, value } };
}

function absent(domain: DomainView, kind: RecordKind, message: string): Found[] {
  return ofKind(domain, kind)
    .filter(({ status }) => status !== 'verified')
    .map(({ type, name, value }) => ({ message, publish: { type, name, value } }));
}

interface DmarcRecord {
  record: DomainRecord;
  tags: ReadonlyMap<string, string>;
}

/** The DMARC record in DNS, if it is valid. A domain that the operator vouches for may have none. */
function dmarcOf(domain: DomainView): DmarcRecord[] {
  return ofKind(domain, 'DMARC').flatMap((record) => {
    const tags = record.status === 'verified' ? readTagList(record.observed[0] ?? '') : null;
    return tags?.get('v') === 'DMARC1' ? [{ record, tags }] : [];
  });
}

/** Receivers apply `none` if the policy is missing or unknown and there is an address for reports (RFC 9989 §4.7). */
function relaxedPolicy({ type, name, observed: [written = ''] }: DomainRecord, tags: DmarcRecord['tags']): Found[] {
  const policy = tags.get('p')?.toLowerCase() ?? '';
  if (policy === 'quarantine' || policy === 'reject') return [];
  return [
    {
      message:
        `The DMARC policy is none: receivers report forged emails and deliver them. ${readerOf(tags.get('rua'))} Once the reports of ` +
        'about two weeks show no sender of yours without authentication, publish p=quarantine, and p=reject later.',
      publish: { type, name, value: withPolicy(written, 'quarantine') },
    },
  ];
}

/** Reports of receivers are XML files, which the service neither reads nor shows. */
function readerOf(rua = ''): string {
  const addresses = rua.split(',').map(
    (uri) =>
      uri
        .trim()
        .replace(/^mailto:/i, '')
        .split('!', 1)[0],
  );
  const known = addresses.filter((address) => address.includes('@'));
  return known.length === 0
    ? 'The record names no address for the reports (rua); add one of yours.'
    : `Their reports go to ${known.join(' and ')}, which is not read here: look at them there, or name an address of yours in rua.`;
}

const withPolicy = (record: string, policy: string): string =>
  [
    'v=DMARC1',
    `p=${policy}`,
    ...record
      .split(';')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '' && !/^[vp]\s*=/i.test(tag)),
  ].join('; ');

function bounceRate(traffic: DomainTraffic | null, from: number, below: number): Found[] {
  if (traffic === null) return [];
  const { bounceReasons, bounceProviders } = traffic;
  const rate = judged(traffic, traffic.bounceRate);
  if (rate < from || rate >= below) return [];
  const causes = [named('Most frequent reasons', bounceReasons), named('Mostly at', bounceProviders)].join('');
  return [
    {
      message: `${percent(rate)} of the recipients of the last ${ADVICE_TRAFFIC.days} days bounced; mailbox providers tolerate less than ${percent(from)}.${causes} Remove old addresses and confirm new ones.`,
      page: 'statistics',
    },
  ];
}

function complaintRate(traffic: DomainTraffic | null, from: number, below: number): Found[] {
  if (traffic === null) return [];
  const { complaintProviders } = traffic;
  const rate = judged(traffic, traffic.complaintRate);
  if (rate < from || rate >= below) return [];
  return [
    {
      message: `${percent(rate)} of the recipients of the last ${ADVICE_TRAFFIC.days} days reported a message as unwanted; Gmail and Yahoo ask for less than ${percent(from)}.${named('Mostly at', complaintProviders)} Send only what recipients asked for, and offer one-click unsubscribe.`,
      page: 'statistics',
    },
  ];
}

const judged = ({ settled }: DomainTraffic, rate: number): number =>
  settled < ADVICE_TRAFFIC.minimumRecipients ? 0 : rate;

const percent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

function named(words: string, shares: readonly Share[]): string {
  const largest = shares.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  if (largest.length === 0) return '';
  const listed = largest.slice(0, NAMED).map(({ name, count }) => `${name} (${count})`);
  return ` ${words}: ${listed.join(', ')}.`;
}

const dateOf = (time: string | undefined): string => (time ?? '').slice(0, 10);

import { describe, expect, it } from 'vitest';
import type { DomainRecord, DomainView } from '../domain.resource.js';
import type { RecordKind } from '../model/expected-records.js';
import { ADVICE_RULES, domainAdvice, type DomainTraffic } from './domain-advice.js';

const NOW = new Date('2026-06-01T12:00:00Z');

function record(kind: RecordKind, over: Partial<DomainRecord> = {}): DomainRecord {
  return {
    record: kind,
    type: 'TXT',
    name: `${kind.toLowerCase()}.mail.example.com`,
    value: `value of ${kind}`,
    cname: null,
    ttl: 'Auto',
    status: 'verified',
    required: ['SPF', 'DKIM', 'DMARC'].includes(kind),
    last_checked_at: '2026-06-01T11:00:00.000Z',
    observed: [`value of ${kind}`],
    error: null,
    ...over,
  };
}

const DMARC = record('DMARC', { observed: ['v=DMARC1; p=reject; rua=mailto:dmarc@example.com'] });
const KINDS = ['SPF', 'DKIM', 'Return-Path', 'Tracking', 'TLS-RPT'] as const;

/** A domain without anything to do, except for what is given. */
function domain(changed: DomainRecord[] = [], over: Partial<DomainView> = {}): DomainView {
  const others = [...KINDS.map((kind) => record(kind)), DMARC];
  return {
    status: 'active',
    open_tracking: false,
    click_tracking: false,
    dkim: { signing_since: '2026-05-01T00:00:00.000Z', rotation: null, cnames: [] },
    records: [...others.filter((one) => !changed.some((each) => each.record === one.record)), ...changed],
    ...over,
  } as DomainView;
}

const traffic = (over: Partial<DomainTraffic> = {}): DomainTraffic => ({
  settled: 1_000,
  bounceRate: 0,
  complaintRate: 0,
  bounceReasons: [],
  bounceProviders: [],
  complaintProviders: [],
  ...over,
});
const vouched: Partial<DomainRecord> = { status: 'vouched', observed: [], error: 'Not checked.' };
const missing: Partial<DomainRecord> = { status: 'failed', observed: [], error: 'Add this one.' };
const rotation = {
  status: 'pending',
  started_at: '2026-05-20T00:00:00.000Z',
  verified_at: null,
  switched_at: null,
  keep_old_until: null,
} as const;

function adviceFor(view: DomainView, counts: DomainTraffic | null = traffic()) {
  return domainAdvice({ domain: view, traffic: counts, now: NOW });
}
const codesFor = (...facts: Parameters<typeof adviceFor>) => adviceFor(...facts).map(({ code }) => code);

/** Facts that lead to exactly one advice. */
const CASES: Record<string, [DomainView, DomainTraffic | null, string | RegExp]> = {
  record_lost: [domain([record('SPF', missing)]), traffic(), 'The required SPF record is not in DNS. Add this one.'],
  record_pending: [
    domain([record('DKIM', { status: 'pending', observed: ['v=DKIM1; p=old'] })], { status: 'pending' }),
    traffic(),
    'The domain may send once these records are verified: DKIM. Publish them as listed.',
  ],
  record_warning: [domain([record('SPF', { error: 'More than 10 look-ups.' })]), traffic(), /^SPF: More than 10/],
  tracking_without_host: [
    domain([record('Tracking', { status: 'pending' })], { click_tracking: true }),
    traffic(),
    /^Tracking is on but has no effect/,
  ],
  dkim_rotation_pending: [
    domain([record('DKIM', { required: false, status: 'pending', observed: [] })], {
      dkim: { signing_since: '2026-05-01T00:00:00.000Z', rotation, cnames: [] },
    }),
    traffic(),
    /since 2026-05-20/,
  ],
  dkim_key_old: [
    domain([], { dkim: { signing_since: '2025-11-01T00:00:00.000Z', rotation: null, cnames: [] } }),
    traffic(),
    /signed for 212 days/,
  ],
  dmarc_none: [
    domain([record('DMARC', { observed: ['v=DMARC1; p=none; sp=none; rua=mailto:d@example.com;'] })]),
    traffic(),
    /policy is none/,
  ],
  dmarc_without_reports: [domain([record('DMARC', { observed: ['v=DMARC1; p=reject'] })]), traffic(), /\(rua\)/],
  no_return_path: [domain([record('Return-Path', { status: 'pending' })]), traffic(), /aligns SPF/],
  no_tls_reports: [domain([record('TLS-RPT', { status: 'pending' })]), traffic(), /failed TLS/],
  bounce_rate_high: [
    domain(),
    traffic({
      bounceRate: 0.1,
      bounceReasons: [
        { name: 'quota', count: 10 },
        { name: 'unknown_user', count: 80 },
        { name: 'spam', count: 10 },
      ],
      bounceProviders: [{ name: 'gmail', count: 70 }],
    }),
    /^10% of .* less than 5%\. Most frequent reasons: unknown_user \(80\), quota \(10\)\. Mostly at: gmail \(70\)\./,
  ],
  bounce_rate_raised: [domain(), traffic({ bounceRate: 0.03 }), /^3% of .* less than 2%\. Remove/],
  complaint_rate_high: [
    domain(),
    traffic({ complaintRate: 0.003, complaintProviders: [{ name: 'yahoo', count: 3 }] }),
    /^0\.3% of .* less than 0\.3%\. Mostly at: yahoo \(3\)\./,
  ],
  complaint_rate_raised: [domain(), traffic({ complaintRate: 0.001 }), /^0\.1% of .* less than 0\.1%/],
  statistics_unavailable: [domain(), null, /cannot be read/],
};

describe('domainAdvice', () => {
  it.each(ADVICE_RULES.map(({ code, severity }) => [code, severity]))('gives %s', (code, severity) => {
    const [view, counts, message] = CASES[code];
    expect(adviceFor(view, counts)).toEqual([
      expect.objectContaining({ code, severity, message: expect.stringMatching(message) as string }),
    ]);
  });

  it('says nothing about a domain in order', () => {
    expect(adviceFor(domain())).toEqual([]);
  });

  it('puts the most urgent advice first', () => {
    const view = domain([record('TLS-RPT', { status: 'pending' }), record('DMARC', missing)]);
    expect(codesFor(view, traffic({ bounceRate: 0.03 }))).toEqual([
      'record_lost',
      'bounce_rate_raised',
      'no_tls_reports',
    ]);
  });

  it('contains the record to publish', () => {
    const [none] = adviceFor(CASES['dmarc_none'][0]);
    expect(none.publish?.value).toBe('v=DMARC1; p=quarantine; sp=none; rua=mailto:d@example.com');
    expect(none.message).toContain('Their reports go to d@example.com, which is not read here');
    const wrong = domain([record('SPF', { status: 'failed', observed: ['v=spf1 -all'], error: 'Add the include.' })]);
    expect(adviceFor(wrong)).toMatchObject([
      { message: 'The required SPF record is in DNS with another value. Add the include.' },
    ]);
    const [lost] = adviceFor(CASES['record_lost'][0]);
    expect(lost.publish).toEqual({ type: 'TXT', name: 'spf.mail.example.com', value: 'value of SPF' });
  });

  it.each([
    [99, 0.5, 0.5, []],
    [100, 0.5, 0, ['bounce_rate_high']],
    [1_000, 0.0199, 0, []],
    [1_000, 0.02, 0, ['bounce_rate_raised']],
    [1_000, 0.0499, 0, ['bounce_rate_raised']],
    [1_000, 0.05, 0, ['bounce_rate_high']],
    [1_001, 0, 0.000999, []],
    [1_000, 0, 0.002, ['complaint_rate_raised']],
  ])(
    'judges rates of %i settled recipients: %f bounced, %f complained',
    (settled, bounceRate, complaintRate, expected) => {
      expect(codesFor(domain(), traffic({ settled, bounceRate, complaintRate }))).toEqual(expected);
    },
  );

  it('takes DMARC records without a policy for none, and says nothing about one that nobody has seen', () => {
    const dmarc = (observed: string[]) => domain([record('DMARC', { observed })]);
    expect(codesFor(dmarc(['v=DMARC1; rua=mailto:d@example.com']))).toEqual(['dmarc_none']);
    expect(codesFor(dmarc(['v=DMARC1; p=Quarantine; rua=mailto:d@example.com']))).toEqual([]);
    expect(codesFor(dmarc([]))).toEqual([]);
  });

  it('expects no tracking host where nothing is tracked', () => {
    expect(adviceFor(domain([record('Tracking', { status: 'pending' })]))).toEqual([]);
  });

  it('does not ask for a rotation while there is one', () => {
    const dkim = { signing_since: '2025-01-01T00:00:00.000Z', rotation: { ...rotation, status: 'verified' as const } };
    expect(adviceFor(domain([], { dkim: { ...dkim, cnames: [] } }))).toEqual([]);
  });

  it('says nothing about records that the operator vouches for', () => {
    const kinds = ['SPF', 'DKIM', 'DMARC'] as const;
    const records = [...kinds.map((kind) => record(kind, vouched)), record('DKIM', { ...vouched, required: false })];
    const pending = { ...missing, status: 'pending' as const, error: null };
    const view = domain([...records, record('Tracking', pending)], { click_tracking: true });
    expect(codesFor(view)).toEqual([]);
    const rotating = domain(records, { dkim: { ...view.dkim, rotation } });
    expect(codesFor(rotating)).toEqual([]);
  });
});

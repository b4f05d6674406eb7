import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOn } from '../../support/services/service-client.js';
import {
  complaintMessage,
  readComplaintSamples,
  type ComplaintSample,
} from '../../support/samples/complaint-samples.js';
import { goldenReportMail, readGoldenReports, type GoldenReport } from '../../support/samples/golden-reports.js';
import { ReportsFixture, type Delivered } from '../../support/inbound/reports-fixture.js';
import { until } from '../../support/timing/until.js';

const SERVICE = 'postloft.test';
const CUSTOMER = 'shop.golden-reports.example';
const STRANGER = 'golden-reports-stranger.example';
const RECIPIENTS = 'golden-reports.test';
const REPORTERS = 'reporters-of-golden.test';
const AT_ONCE = 20;
const REPORTS_AT_ONCE = 8;
/** The bounce classes that suppress an address. */
const DEAD = new Set(['invalid_recipient', 'inactive_mailbox', 'bad_domain']);
const EFFECTS = {
  suppressed: { status: 'complained', origin: 'complaint', concerned: 0 },
  suppressed_2: { status: 'complained', origin: 'complaint', concerned: 1 },
  complained: { status: 'complained', origin: null, concerned: 0 },
  unsubscribed: { status: 'delivered', origin: 'unsubscribe', concerned: 0 },
  none: { status: 'delivered', origin: null, concerned: 0 },
} as const;

/** One report and the expected result for each recipient of its mail. */
interface Played {
  name: string;
  sent: Delivered;
  addresses: string[];
  to: string;
  from: string;
  message: Buffer;
  expected: { status: string; origin: string | null }[];
  /** The labelled class; null: no bounce. */
  class: string | null;
}

interface Seen {
  statuses: string[];
  origins: (string | null)[];
  class: string | null;
}

/** All report samples, about mails that were sent, submitted to the inbound port. */
describe('reports of many systems', () => {
  // Mail cannot be made older here; the two samples about old mail belong to the tests of the library.
  const complaints = readComplaintSamples().filter(({ ageDays }) => ageDays === 1);
  const bounces = readGoldenReports();
  let fixture: ReportsFixture;
  let played: Played[];
  let seen: Seen[];
  let askedBefore: number;
  let mailsBefore: number;
  let sessionsBefore: number;

  beforeAll(async () => {
    fixture = await ReportsFixture.open({ recipients: RECIPIENTS, reporters: REPORTERS, senders: [CUSTOMER] });
    await fixture.verified(CUSTOMER);
    // Complaints about one of several recipients are proved by SPF.
    fixture.dns.set(RECIPIENTS, {
      MX: [{ preference: 10, exchange: `mx.${RECIPIENTS}` }],
      TXT: ['v=spf1 ip4:127.0.0.0/8 -all'],
    });
    const stranger = await otherAccount(fixture);
    played = await inBatches(
      [
        ...bounces.map((sample, i) => () => playBounce(fixture, sample, i)),
        ...complaints.map((sample, i) => () => playComplaint(fixture, { sample, stranger }, i)),
      ],
      AT_ONCE,
    );
    [askedBefore, mailsBefore, sessionsBefore] = [
      fixture.dns.questions.length,
      fixture.mx.mails.length,
      fixture.mx.sessions.length,
    ];
    await inBatches(
      played.map((one) => () => handIn(fixture, one)),
      REPORTS_AT_ONCE,
    );
    seen = await inBatches(
      played.map((one) => () => look(fixture, one)),
      AT_ONCE,
    );
    print(played, seen);
  }, 300_000);
  afterAll(() => fixture?.stop());

  const wrong = (of: (one: Played, found: Seen) => boolean) =>
    played.filter((one, i) => of(one, seen[i])).map(({ name }) => name);

  it('are at least sixty bounces and forty complaints', () => {
    expect(bounces.length).toBeGreaterThanOrEqual(60);
    expect(complaints.length).toBeGreaterThanOrEqual(40);
  });

  it('match the right mail and recipient, at least 95 of 100 of each kind', () => {
    for (const kind of ['bounce', 'complaint']) {
      const telling = played.filter(({ name, expected }) => name.startsWith(kind) && expected.some(tells));
      const missed = wrong(
        ({ name, expected }, { statuses }) =>
          name.startsWith(kind) && expected.some(tells) && expected.some(({ status }, i) => status !== statuses[i]),
      );
      expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(telling.length * 0.05);
    }
  });

  it('without a failure or complaint change no recipient', () => {
    expect(
      wrong(({ expected }, { statuses }) => !expected.some(tells) && statuses.some((status) => status !== 'delivered')),
    ).toEqual([]);
  });

  it('suppress no other address', () => {
    expect(
      wrong(({ expected }, { origins }) =>
        origins.some((origin, i) => origin !== null && origin !== expected[i].origin),
      ),
    ).toEqual([]);
  });

  it('suppress at least 95 of 100 dead addresses', () => {
    const dead = played.filter(({ expected }) => expected.some(({ origin }) => origin !== null));
    const missed = wrong(({ expected }, { origins }) =>
      expected.some(({ origin }, i) => origin !== null && origins[i] === null),
    );
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(dead.length * 0.05);
  });

  it('sent again change nothing', async () => {
    const again = played.filter((_, i) => i % 12 === 0);
    await inBatches(
      again.map((one) => () => handIn(fixture, one)),
      REPORTS_AT_ONCE,
    );
    for (const one of again) {
      expect(await look(fixture, one)).toEqual(seen[played.indexOf(one)]);
      const told = (await fixture.events(one.sent.id)).map(({ type }) => type);
      for (const type of ['email.bounced', 'email.complained'])
        expect(told.filter((each) => each === type).length, `${type} of ${one.name}`).toBeLessThanOrEqual(
          one.addresses.length,
        );
    }
  });

  it('are not answered: no connection, no mail, no MX lookup of the reporters', () => {
    expect(fixture.echo.sessions).toEqual([]);
    expect(fixture.mx.mails).toHaveLength(mailsBefore);
    expect(fixture.mx.sessions).toHaveLength(sessionsBefore);
    const asked = fixture.dns.questions.slice(askedBefore).filter(({ type }) => type === 'MX');
    expect(asked.filter(({ name }) => name !== RECIPIENTS)).toEqual([]);
  });
});

const tells = ({ status }: { status: string }): boolean => status !== 'delivered';

/** Half of the mail is from a domain with its own return path. */
const senderOf = (i: number): Record<string, string> => (i % 2 === 0 ? {} : { from: `shop@${CUSTOMER}` });

async function playBounce(fixture: ReportsFixture, { name, recipients }: GoldenReport, i: number): Promise<Played> {
  const address = `bounce${i}@${RECIPIENTS}`;
  const sent = await fixture.delivered(address, senderOf(i));
  const failed = recipients.filter(({ action }) => action === 'failed');
  // A failure at another address says nothing about the recipient's own.
  const own = failed.find(({ address: end, original }) => (end ?? original ?? '{{recipient}}') === '{{recipient}}');
  const dead = own !== undefined && DEAD.has(own.class ?? '');
  return {
    name: `bounce ${name}`,
    sent,
    addresses: [address],
    to: sent.returnPath,
    from: '',
    message: goldenReportMail(name, sent),
    expected: [{ status: failed.length > 0 ? 'bounced' : 'delivered', origin: dead ? 'bounce' : null }],
    class: own?.class ?? null,
  };
}

async function playComplaint(
  fixture: ReportsFixture,
  { sample, stranger }: { sample: ComplaintSample; stranger: Delivered },
  i: number,
): Promise<Played> {
  const addresses = Array.from({ length: sample.recipients }, (_, n) => `complaint${i}-${n}@${RECIPIENTS}`);
  const sent = await fixture.delivered(addresses[0], { ...senderOf(i), to: addresses });
  const effect = EFFECTS[sample.effect];
  return {
    name: `complaint ${sample.file}`,
    sent,
    addresses,
    to: sample.to === 'return_path' ? sent.returnPath : `${sample.to}@${SERVICE}`,
    from: `feedback@${RECIPIENTS}`,
    message: complaintMessage(sample.file, {
      return_path: sent.returnPath,
      return_path_upper: sent.returnPath.toUpperCase(),
      forged_return_path: forged(sent.returnPath),
      trace: sent.trace,
      forged_trace: forged(sent.trace),
      message_id: sent.messageId,
      recipient: addresses[0],
      recipient_2: addresses[1] ?? '',
      other_trace: stranger.trace,
      other_message_id: stranger.messageId,
      other_recipient: stranger.recipient,
      service_domain: SERVICE,
    }),
    expected: addresses.map((_, n) =>
      n === effect.concerned ? { status: effect.status, origin: effect.origin } : { status: 'delivered', origin: null },
    ),
    class: null,
  };
}

/** A mail of another account, which some reports refer to. */
async function otherAccount(fixture: ReportsFixture): Promise<Delivered> {
  const account = await accountOn(fixture.account, { domain: STRANGER });
  const headers = { authorization: `Bearer ${account.key}` };
  return fixture.delivered(`stranger@${RECIPIENTS}`, { from: account.from }, headers);
}

/** Tries again after a temporary reply, as a mail server does. */
function handIn(fixture: ReportsFixture, { message, to, from }: Played): Promise<string> {
  return until(() => fixture.report(message, to, from), { everyMs: 1_000, withinMs: 60_000, what: `250 for ${to}` });
}

async function look(fixture: ReportsFixture, { sent, addresses }: Played): Promise<Seen> {
  const { recipients } = await fixture.read(sent.id);
  const bounced = (await fixture.events(sent.id)).find(({ type }) => type === 'email.bounced');
  const origins = addresses.map(async (address) => {
    const answer = await fixture.account.call('GET', `/suppressions?q=${encodeURIComponent(address)}`);
    const { data } = (await answer.json()) as { data: { email: string; origin: string }[] };
    return data.find(({ email }) => email === address)?.origin ?? null;
  });
  return {
    statuses: addresses.map((address) => recipients.find((one) => one.address === address)?.status ?? 'unknown'),
    origins: await Promise.all(origins),
    class: bounced?.data.bounce_class ?? null,
  };
}

const forged = (text: string): string => {
  const at = text.indexOf('+') + 12;
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
};

async function inBatches<T>(tasks: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < tasks.length; i = next++) results[i] = await tasks[i]();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

function print(played: readonly Played[], seen: readonly Seen[]): void {
  for (const kind of ['bounce', 'complaint']) {
    const all = played.flatMap((one, i) => (one.name.startsWith(kind) ? [{ ...one, seen: seen[i] }] : []));
    const telling = all.filter(({ expected }) => expected.some(tells));
    const mapped = telling.filter((one) => one.expected.every(({ status }, n) => status === one.seen.statuses[n]));
    const classed = telling.filter((one) => one.class !== null);
    const right = classed.filter((one) => one.class === one.seen.class);
    const listed = all.flatMap((one) => one.expected.map(({ origin }, n) => [origin, one.seen.origins[n]] as const));
    console.log(
      `${kind}s: ${all.length} samples, ${mapped.length} of ${telling.length} led to the right recipient` +
        (kind === 'bounce' ? `, ${right.length} of ${classed.length} with the right class` : '') +
        `; ${listed.filter(([wanted, found]) => wanted !== null && wanted === found).length} of ` +
        `${listed.filter(([wanted]) => wanted !== null).length} put on the list, ` +
        `${listed.filter(([wanted, found]) => found !== null && wanted !== found).length} wrongly`,
    );
  }
}

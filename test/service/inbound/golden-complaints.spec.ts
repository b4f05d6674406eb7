import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  complaintMessage,
  readComplaintSamples,
  type ComplaintSample,
} from '../../support/samples/complaint-samples.js';
import { openInboundFixture, type InboundFixture, type SentMail } from '../../support/inbound/inbound-fixture.js';

const samples = readComplaintSamples();
/** What must be there afterwards: which recipient it is about, his status, what is told, and the entry's origin. */
const EFFECTS = {
  suppressed: { concerned: 0, status: 'complained', told: ['email.complained'], origin: 'complaint' },
  suppressed_2: { concerned: 1, status: 'complained', told: ['email.complained'], origin: 'complaint' },
  complained: { concerned: 0, status: 'complained', told: ['email.complained'], origin: null },
  unsubscribed: { concerned: 0, status: 'delivered', told: ['email.unsubscribed'], origin: 'unsubscribe' },
  none: { concerned: 0, status: 'delivered', told: [], origin: null },
} as const;

let fixture: InboundFixture;
let other: SentMail;
beforeAll(async () => {
  fixture = await openInboundFixture();
  other = await fixture.send(['grace@rcpt.example'], { accountId: fixture.otherAccountId });
});
afterAll(() => fixture?.close());

const forged = (text: string): string => {
  const at = text.indexOf('+') + 12;
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
};

async function run(sample: ComplaintSample) {
  const addresses = Array.from({ length: sample.recipients }, (_, i) => `${sample.file}-${i + 1}@rcpt.example`);
  const sent = await fixture.send(addresses, { ageDays: sample.ageDays });
  const message = complaintMessage(sample.file, {
    return_path: sent.returnPath,
    return_path_upper: sent.returnPath.toUpperCase(),
    forged_return_path: forged(sent.returnPath),
    trace: sent.trace,
    forged_trace: forged(sent.trace),
    message_id: sent.messageId,
    recipient: addresses[0],
    recipient_2: addresses[1] ?? '',
    other_trace: other.trace,
    other_message_id: other.messageId,
    other_recipient: other.addresses[0],
    service_domain: fixture.serviceDomain,
  });
  const to = sample.to === 'return_path' ? sent.returnPath : `${sample.to}@${fixture.serviceDomain}`;
  const before = await fixture.suppressed();
  await fixture.receive(to, message, { mailFrom: 'fbl@mail.rcpt.example' });
  const events = await fixture.events(sent.id);
  const stored = await fixture.rows<{ verdict: string; email_id: string | null }>(
    'SELECT verdict, email_id FROM inbound_messages ORDER BY id DESC LIMIT 1',
  );
  await fixture.rows('DELETE FROM inbound_messages');
  return {
    sent,
    statuses: await fixture.statuses(sent.id),
    added: (await fixture.suppressed()).filter(({ source_id }) => !before.some((one) => one.source_id === source_id)),
    told: events.map(({ type }) => type).filter((type) => /complained|unsubscribed|bounced/.test(type)),
    stored: stored.at(0) ?? null,
  };
}

it('has at least forty samples', () => expect(samples.length).toBeGreaterThanOrEqual(40));

it.each(samples)('$file: $effect', async (sample) => {
  const { sent, statuses, added, told, stored } = await run(sample);
  const { concerned, status, told: tells, origin } = EFFECTS[sample.effect];
  const entry = { account_id: sent.accountId, address: sent.addresses[concerned], origin, source_id: sent.id };
  expect(added).toEqual(origin === null ? [] : [entry]);
  expect(statuses).toEqual(sent.addresses.map((_, i) => (i === concerned ? status : 'delivered')));
  expect(told).toEqual(tells);
  // What was applied at fbl@ and return paths, or says nothing that counts, needs no place of its own.
  const isStored = sample.to === 'abuse' || !['applied', 'no_change'].includes(sample.verdict);
  expect(stored?.verdict ?? null).toBe(isStored ? sample.verdict : null);
  if (stored) expect(stored.email_id === sent.id).toBe(sample.mapped);
});

it('touches nobody of another account', async () => {
  expect(await fixture.statuses(other.id)).toEqual(['delivered']);
  expect(
    (await fixture.suppressed()).filter(({ account_id }) => account_id !== fixture.queueFixture.accountId),
  ).toEqual([]);
});

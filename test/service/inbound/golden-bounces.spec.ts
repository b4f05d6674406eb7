import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenReportMail, readGoldenReports, type ExpectedRecipient } from '../../support/samples/golden-reports.js';
import { openInboundFixture, type InboundFixture } from '../../support/inbound/inbound-fixture.js';

const samples = readGoldenReports();
/** Says `5.4.1 Access denied` without the marker of Exchange Online for an address that is not in the directory. */
const ONLY_HINTS = new Set(['mimecast-listed']);
const RECIPIENT_CLASSES = ['invalid_recipient', 'bad_domain', 'inactive_mailbox'];

const failuresOf = (recipients: readonly ExpectedRecipient[]) => recipients.filter(({ action }) => action === 'failed');
/** The only recipient of the mail is dead: by his own name, or by none beside his token. */
const isDead = ({ address, class: found }: ExpectedRecipient): boolean =>
  (address === null || address === '{{recipient}}') && found !== null && RECIPIENT_CLASSES.includes(found);

let fixture: InboundFixture;
beforeAll(async () => {
  fixture = await openInboundFixture();
});
afterAll(() => fixture?.close());

async function run(name: string) {
  const recipient = `${name}@rcpt.example`;
  const sent = await fixture.send([recipient]);
  await fixture.receive(sent.returnPath, goldenReportMail(name, { ...sent, recipient }));
  return { sent, recipient };
}

describe('the golden bounces, at the return path of a mail to one recipient', () => {
  it.each(samples)('$name: $kind', async ({ name, kind, recipients }) => {
    const { sent, recipient } = await run(name);
    const failures = kind === 'delivery' ? failuresOf(recipients) : [];
    expect(await fixture.statuses(sent.id)).toEqual([failures.length > 0 ? 'bounced' : 'delivered']);
    const entries = (await fixture.suppressed()).filter(({ source_id }) => source_id === sent.id);
    const dead = failures.some(isDead) && !ONLY_HINTS.has(name);
    expect(entries.map(({ address }) => address)).toEqual(dead ? [recipient] : []);
    if (failures.length === 0) return;
    const { class: found } = failures.find(isDead) ?? failures[0];
    expect((await fixture.events(sent.id)).at(-1)?.data['bounce_class']).toBe(found);
  });
});

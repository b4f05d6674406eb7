import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openInboundFixture, type InboundFixture } from '../../support/inbound/inbound-fixture.js';
import { arf, dsn } from '../../support/samples/inbound-reports.js';

const ADA = 'ada@rcpt.example';

let fixture: InboundFixture;
beforeAll(async () => {
  fixture = await openInboundFixture();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

describe('a complaint', () => {
  it('makes the recipient complained and takes him off all mail of the account', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(fixture.fbl, arf({ rcpt: ADA, head: [`X-Postloft-Ref: ${sent.trace}`] }));
    const event = (await fixture.events(sent.id)).at(-1);
    expect(event).toMatchObject({
      type: 'email.complained',
      data: { recipient: ADA, feedback_type: 'abuse', reporter: 'loop.example' },
    });
    expect(JSON.stringify(event)).not.toMatch(/\\u00/);
    expect(
      await fixture.rows('SELECT address, origin, domain_id, reason, source_id, expires_at FROM suppressions'),
    ).toEqual([
      { address: ADA, origin: 'complaint', domain_id: null, reason: 'abuse', source_id: sent.id, expires_at: null },
    ]);
    expect(await fixture.stored()).toEqual([]);
  });

  it('counts once', async () => {
    const sent = await fixture.send([ADA]);
    const report = arf({ head: [`X-Postloft-Ref: ${sent.trace}`] });
    await Promise.all(Array.from({ length: 10 }, () => fixture.receive(fixture.fbl, report)));
    expect(await fixture.lateTypes(sent.id)).toEqual(['email.complained']);
    await fixture.rows('DELETE FROM suppressions');
    await fixture.receive(fixture.fbl, report);
    expect([await fixture.suppressed(), await fixture.stored()]).toEqual([[], []]);
  });

  it('after a bounce changes nothing any more, and is kept', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ status: '5.7.1', words: 'Message blocked as spam' }]));
    await fixture.receive(fixture.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
    expect(await fixture.suppressed()).toEqual([]);
    expect(await fixture.stored()).toMatchObject([{ verdict: 'final', note: 'after bounced', email_id: sent.id }]);
  });

  it('unsubscribes by an opt-out, once', async () => {
    const sent = await fixture.send([ADA]);
    const report = arf({ type: 'opt-out', head: [`X-Postloft-Ref: ${sent.trace}`] });
    await fixture.receive(fixture.fbl, report);
    await fixture.receive(fixture.fbl, report);
    expect(await fixture.lateTypes(sent.id)).toEqual(['email.unsubscribed']);
    expect(await fixture.statuses(sent.id)).toEqual(['delivered']);
    expect(await fixture.rows('SELECT origin, domain_id IS NULL AS everywhere FROM suppressions')).toEqual([
      { origin: 'unsubscribe', everywhere: false },
    ]);
    await fixture.rows('DELETE FROM suppressions');
    await fixture.receive(fixture.fbl, report);
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('is proved by no Message-ID that a customer made up', async () => {
    const message = Buffer.from('From: hello@sender.example\r\nMessage-ID: <1@sender.example>\r\n\r\nhello\r\n');
    const content = { format: 'mime', message, messageId: '<1@sender.example>' } as const;
    const sent = await fixture.send([ADA], { over: { content } });
    await fixture.receive(fixture.fbl, arf({ rcpt: ADA, head: ['Message-ID: <1@sender.example>'] }));
    const hex = sent.id.slice('em_'.length);
    await fixture.receive(fixture.fbl, arf({ rcpt: ADA, head: [`Message-ID: <${hex}@sender.example>`] }));
    expect(await fixture.statuses(sent.id)).toEqual(['delivered']);
    expect(await fixture.stored()).toMatchObject([{ verdict: 'unmatched' }, { verdict: 'unmatched' }]);
  });

  it('suppresses nobody for a test mail', async () => {
    const sent = await fixture.send([ADA], { over: { mode: 'test' } });
    await fixture.receive(fixture.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    expect(await fixture.statuses(sent.id)).toEqual(['complained']);
    expect(await fixture.suppressed()).toEqual([]);
  });
});

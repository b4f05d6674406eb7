import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openInboundFixture, type InboundFixture } from '../../support/inbound/inbound-fixture.js';
import { arf, dsn } from '../../support/samples/inbound-reports.js';

const ADA = 'ada@rcpt.example';

let desk: InboundFixture;
beforeAll(async () => {
  desk = await openInboundFixture();
});
afterAll(() => desk?.close());
beforeEach(() => desk.clear());

describe('a complaint', () => {
  it('makes the recipient complained and takes him off all mail of the account', async () => {
    const sent = await desk.send([ADA]);
    await desk.receive(desk.fbl, arf({ rcpt: ADA, head: [`X-Postloft-Ref: ${sent.trace}`] }));
    const event = (await desk.events(sent.id)).at(-1);
    expect(event).toMatchObject({
      type: 'email.complained',
      data: { recipient: ADA, feedback_type: 'abuse', reporter: 'loop.example' },
    });
    expect(JSON.stringify(event)).not.toMatch(/\\u00/);
    expect(
      await desk.rows('SELECT address, origin, domain_id, reason, source_id, expires_at FROM suppressions'),
    ).toEqual([
      { address: ADA, origin: 'complaint', domain_id: null, reason: 'abuse', source_id: sent.id, expires_at: null },
    ]);
    expect(await desk.stored()).toEqual([]);
  });

  it('counts once', async () => {
    const sent = await desk.send([ADA]);
    const report = arf({ head: [`X-Postloft-Ref: ${sent.trace}`] });
    await Promise.all(Array.from({ length: 10 }, () => desk.receive(desk.fbl, report)));
    expect(await desk.lateTypes(sent.id)).toEqual(['email.complained']);
    await desk.rows('DELETE FROM suppressions');
    await desk.receive(desk.fbl, report);
    expect([await desk.suppressed(), await desk.stored()]).toEqual([[], []]);
  });

  it('after a bounce changes nothing any more, and is kept', async () => {
    const sent = await desk.send([ADA]);
    await desk.receive(sent.returnPath, dsn(sent, [{ status: '5.7.1', words: 'Message blocked as spam' }]));
    await desk.receive(desk.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    expect(await desk.statuses(sent.id)).toEqual(['bounced']);
    expect(await desk.suppressed()).toEqual([]);
    expect(await desk.stored()).toMatchObject([{ verdict: 'final', note: 'after bounced', email_id: sent.id }]);
  });

  it('unsubscribes by an opt-out, once', async () => {
    const sent = await desk.send([ADA]);
    const report = arf({ type: 'opt-out', head: [`X-Postloft-Ref: ${sent.trace}`] });
    await desk.receive(desk.fbl, report);
    await desk.receive(desk.fbl, report);
    expect(await desk.lateTypes(sent.id)).toEqual(['email.unsubscribed']);
    expect(await desk.statuses(sent.id)).toEqual(['delivered']);
    expect(await desk.rows('SELECT origin, domain_id IS NULL AS everywhere FROM suppressions')).toEqual([
      { origin: 'unsubscribe', everywhere: false },
    ]);
    await desk.rows('DELETE FROM suppressions');
    await desk.receive(desk.fbl, report);
    expect(await desk.suppressed()).toEqual([]);
  });

  it('is proved by no Message-ID that a customer made up', async () => {
    const message = Buffer.from('From: hello@sender.example\r\nMessage-ID: <1@sender.example>\r\n\r\nhello\r\n');
    const content = { format: 'mime', message, messageId: '<1@sender.example>' } as const;
    const sent = await desk.send([ADA], { over: { content } });
    await desk.receive(desk.fbl, arf({ rcpt: ADA, head: ['Message-ID: <1@sender.example>'] }));
    const hex = sent.id.slice('em_'.length);
    await desk.receive(desk.fbl, arf({ rcpt: ADA, head: [`Message-ID: <${hex}@sender.example>`] }));
    expect(await desk.statuses(sent.id)).toEqual(['delivered']);
    expect(await desk.stored()).toMatchObject([{ verdict: 'unmatched' }, { verdict: 'unmatched' }]);
  });

  it('suppresses nobody for a test mail', async () => {
    const sent = await desk.send([ADA], { over: { mode: 'test' } });
    await desk.receive(desk.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    expect(await desk.statuses(sent.id)).toEqual(['complained']);
    expect(await desk.suppressed()).toEqual([]);
  });
});

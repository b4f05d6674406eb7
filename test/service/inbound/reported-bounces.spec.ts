import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#libs/contracts';
import { recipientsOf } from '../../../libs/emails/src/queries/recipient-row.js';
import { explainRecipient } from '../../../libs/queue/src/explain/explain-recipient.js';
import { openInboundFixture, type InboundFixture, type SentMail } from '../../support/inbound/inbound-fixture.js';
import { arf, dsn } from '../../support/samples/inbound-reports.js';

const ADA = 'ada@rcpt.example';
const GRACE = 'grace@rcpt.example';

let fixture: InboundFixture;
beforeAll(async () => {
  fixture = await openInboundFixture();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

describe('a bounce after delivery', () => {
  it('makes the recipient bounced, tells it with its words, and suppresses a dead address', async () => {
    const sent = await fixture.send([ADA]);
    const rings = fixture.rings();
    await fixture.receive(sent.returnPath, dsn(sent));
    expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
    expect((await fixture.events(sent.id)).at(-1)).toMatchObject({
      type: 'email.bounced',
      data: {
        recipient: ADA,
        bounce_type: 'hard',
        bounce_class: 'invalid_recipient',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        mx: 'mx.rcpt.example',
        bounce_message: expect.stringContaining('No such user') as unknown,
      },
    });
    expect(await fixture.suppressed()).toEqual([
      { account_id: sent.accountId, address: ADA, origin: 'bounce', source_id: sent.id },
    ]);
    expect(await fixture.rows('SELECT status, last_event FROM emails')).toEqual([
      { status: 'bounced', last_event: 'bounced' },
    ]);
    expect(fixture.rings()).toBe(rings + 1);
    expect(await fixture.stored()).toEqual([]);
    expect(await fixture.counted('delivery', 'applied')).toBeGreaterThan(0);
  });

  it('has the last word about its recipient', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(sent.returnPath, dsn(sent));
    const [row] = await recipientsOf(fixture.queueFixture.db.database, sent.id);
    const taken = { mx: 'mx.rcpt.example', at: new Date(0) };
    const facts = {
      taken,
      standing: 'active',
      pause: null,
      domainWasRemoved: false,
      ahead: null,
      now: new Date(),
    } as const;
    expect(explainRecipient(row, facts).because).toBe(
      'mx.rcpt.example took it at 1970-01-01T00:00:00.000Z, and it came back. ' +
        'mx.rcpt.example reported: 550 5.1.1 No such user here',
    );
  });

  it('counts once, however often and at how many places at once it is played', async () => {
    const sent = await fixture.send([ADA]);
    await Promise.all(Array.from({ length: 10 }, () => fixture.receive(sent.returnPath, dsn(sent))));
    expect(await fixture.lateTypes(sent.id)).toEqual(['email.bounced']);
    await fixture.rows('DELETE FROM suppressions');
    await fixture.receive(sent.returnPath, dsn(sent));
    expect(await fixture.suppressed()).toEqual([]);
    expect(await fixture.stored()).toEqual([]);
  });

  it('may come with many others about one address, beside complaints and deliveries', async () => {
    const sent: SentMail[] = [];
    for (let i = 0; i < 24; i++) sent.push(await fixture.send([ADA]));
    const words = [{ status: '5.1.1' }, { status: '5.2.2', words: 'Mailbox full' }];
    await Promise.all([
      ...sent.map((mail, i) => fixture.receive(mail.returnPath, dsn(mail, [words[i % 2]]))),
      ...sent.map((mail) => fixture.receive(fixture.fbl, arf({ head: [`X-Postloft-Ref: ${mail.trace}`] }))),
      fixture.send([GRACE], { over: { tags: { kind: 'other' } } }),
    ]);
    for (const { id } of sent) expect(await fixture.lateTypes(id)).toHaveLength(1);
    expect((await fixture.suppressed()).map(({ address }) => address)).toEqual([ADA]);
  });

  it.each(['delayed', 'relayed', 'delivered', 'expanded'])('is none that says "%s"', async (action) => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ action, status: '4.4.1' }]));
    expect(await fixture.statuses(sent.id)).toEqual(['delivered']);
    expect([await fixture.suppressed(), await fixture.stored()]).toEqual([[], []]);
  });

  it('suppresses nobody for what is not the recipient', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ status: '5.7.1', words: 'Message blocked as spam' }]));
    expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
    expect((await fixture.events(sent.id)).at(-1)?.data).toMatchObject({ bounce_type: 'soft', bounce_class: 'policy' });
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('is called expired where the other server gave up on something temporary', async () => {
    const sent = await fixture.send([ADA]);
    const failure = dsn(sent, [{ status: '4.4.1' }]).replace('550 4.4.1', '451 4.4.1');
    await fixture.receive(sent.returnPath, failure);
    expect((await fixture.events(sent.id)).at(-1)?.data).toMatchObject({
      bounce_type: 'soft',
      bounce_class: 'expired',
    });
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('suppresses a mailbox that is full for the third time over a week, for thirty days', async () => {
    const sent: SentMail[] = [];
    for (let i = 0; i < 3; i++) sent.push(await fixture.send([ADA]));
    for (const [i, mail] of sent.entries()) {
      await fixture.receive(mail.returnPath, dsn(mail, [{ status: '5.2.2', words: 'Mailbox full' }]));
      if (i === 0) await fixture.rows(`UPDATE full_mailboxes SET first_at = first_at - interval '8 days'`);
      expect(await fixture.suppressed()).toHaveLength(i === 2 ? 1 : 0);
    }
  });

  it('tells of a forwarded recipient, but it says nothing of ours', async () => {
    for (const failure of [
      { final: 'ada@elsewhere.example' },
      { final: 'ada@elsewhere.example', original: ADA },
      { final: 'someone@rcpt.example' },
    ]) {
      const sent = await fixture.send([ADA]);
      await fixture.receive(sent.returnPath, dsn(sent, [failure]));
      expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
      expect(await fixture.suppressed()).toEqual([]);
    }
  });

  it.each([
    ['in another case', { final: 'ADA@Rcpt.Example' }],
    ['by its original recipient alone', { final: null, original: ADA }],
    ['by no name, where the token is enough', { final: null }],
    ['beside another one', [{ final: 'x@elsewhere.example' }, { final: ADA }]],
  ])('meets its recipient %s', async (_how, failure) => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(sent.returnPath, dsn(sent, [failure].flat()));
    expect(await fixture.suppressed()).toMatchObject([{ address: ADA }]);
  });

  // RFC 5322 §3.2.3: all of these may stand in an address.
  it.each(["o'brien", 'srs0=ab=c=ada', 'a*b', '{ada}', 'a|b', 'a`b'])('meets %s', async (local) => {
    const address = `${local}@rcpt.example`;
    const sent = await fixture.send([address]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: address }]));
    expect(await fixture.suppressed()).toMatchObject([{ address }]);
  });

  it('meets a domain in its other spelling', async () => {
    const sent = await fixture.send(['ada@bücher.example']);
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: 'ada@xn--bcher-kva.example' }]));
    expect(await fixture.suppressed()).toMatchObject([{ address: 'ada@xn--bcher-kva.example' }]);
  });

  it('names one of several recipients, or changes nothing', async () => {
    const sent = await fixture.send([ADA, GRACE]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: null }]));
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: 'someone@rcpt.example' }]));
    expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'delivered']);
    expect(await fixture.stored()).toMatchObject([
      { verdict: 'unmatched', email_id: sent.id },
      { verdict: 'unmatched', email_id: sent.id },
    ]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: GRACE }]));
    expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'bounced']);
    // One of two has ended: who is left is still not guessed.
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: null }]));
    expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'bounced']);
    expect(await fixture.suppressed()).toMatchObject([{ address: GRACE }]);
  });

  it('may be about several at once', async () => {
    const sent = await fixture.send([ADA, GRACE, 'joan@rcpt.example']);
    await fixture.receive(
      sent.returnPath,
      dsn(sent, [{ final: GRACE }, { final: ADA }, { final: 'joan@rcpt.example', action: 'delayed' }]),
    );
    expect(await fixture.statuses(sent.id)).toEqual(['bounced', 'bounced', 'delivered']);
    expect(await fixture.lateTypes(sent.id)).toEqual(['email.bounced', 'email.bounced']);
  });

  it('is about the domain of its token alone, and about one recipient where each has a link', async () => {
    const sent = await fixture.send([ADA, 'ada@other.example']);
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: 'ada@other.example' }]));
    expect(await fixture.statuses(sent.id)).toEqual(['bounced', 'delivered']);
    expect(await fixture.suppressed()).toEqual([]);
    const linked = await fixture.send([ADA, GRACE], { over: { unsubscribe: {} } });
    await fixture.receive(linked.returnPath, dsn(linked, [{ final: null }]));
    expect(await fixture.statuses(linked.id)).toEqual(['bounced', 'delivered']);
  });

  it('comes too late after fourteen days', async () => {
    const old = await fixture.send([ADA], { ageDays: 14.1 });
    await fixture.receive(old.returnPath, dsn(old));
    expect(await fixture.statuses(old.id)).toEqual(['delivered']);
    expect(await fixture.stored()).toMatchObject([{ verdict: 'expired' }]);
    const recent = await fixture.send([GRACE], { ageDays: 13.9 });
    await fixture.receive(recent.returnPath, dsn(recent, [{ final: GRACE }]));
    expect(await fixture.suppressed()).toMatchObject([{ address: GRACE }]);
  });

  it('changes nothing for another account, whatever it shows', async () => {
    const mine = await fixture.send([ADA]);
    const theirs = await fixture.send([GRACE], { accountId: fixture.otherAccountId });
    await fixture.receive(mine.returnPath, dsn(theirs, [{ final: GRACE }]));
    expect(await fixture.statuses(mine.id)).toEqual(['delivered']);
    expect(await fixture.statuses(theirs.id)).toEqual(['delivered']);
    await fixture.receive(mine.returnPath, dsn(null, [{ final: GRACE }]));
    expect(await fixture.statuses(theirs.id)).toEqual(['delivered']);
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('has no place where the token was altered', async () => {
    const { returnPath } = await fixture.send([ADA]);
    const [local, domain] = returnPath.split('@');
    for (let i = 2; i < local.length; i++) {
      const forged = `${local.slice(0, i)}${local[i] === 'a' ? 'b' : 'a'}${local.slice(i + 1)}@${domain}`;
      expect(fixture.inbound.mailboxOf(forged), forged).toBeNull();
    }
  });

  it('ends nothing that has ended: complained, failed, suppressed', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(fixture.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    await fixture.receive(sent.returnPath, dsn(sent));
    expect(await fixture.statuses(sent.id)).toEqual(['complained']);
    expect(await fixture.lateTypes(sent.id)).toEqual(['email.complained']);
    expect(await fixture.suppressed()).toMatchObject([{ origin: 'complaint' }]);
  });

  it('suppresses nobody for a test mail', async () => {
    const sent = await fixture.send([ADA], { over: { mode: 'test' } });
    await fixture.receive(sent.returnPath, dsn(sent));
    expect((await fixture.events(sent.id)).at(-1)).toMatchObject({ type: 'email.bounced', data: { mode: 'test' } });
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('is kept where the mail is gone', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.rows('DELETE FROM emails');
    await fixture.receive(sent.returnPath, dsn(sent));
    expect(await fixture.stored()).toMatchObject([{ verdict: 'unmatched', note: 'the mail is no longer stored' }]);
  });

  it('survives words that no database, log or page would take', async () => {
    const sent = await fixture.send([ADA]);
    await fixture.receive(sent.returnPath, dsn(sent, [{ words: 'No such user\u0000 \u001b[31m\u0007 here' }]));
    const message = String((await fixture.events(sent.id)).at(-1)?.data['bounce_message']);
    expect(message).toContain('No such user');
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

describe('a report that is faster than our own books', () => {
  it('waits for the settle that is under way', async () => {
    const sent = await fixture.send([ADA], { settle: false });
    const received = fixture.receive(sent.returnPath, dsn(sent));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await fixture.program.queue.settle(sent.job, fixture.taken(sent.job));
    await received;
    expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
    expect(await fixture.suppressed()).toHaveLength(1);
  });

  it('is to come again where nothing is written down in time', async () => {
    const sent = await fixture.send([ADA], { settle: false });
    const complaint = arf({ head: [`X-Postloft-Ref: ${sent.trace}`] });
    for (const message of [dsn(sent), complaint]) {
      const answer = await fixture.receive(sent.returnPath, message).catch((error: unknown) => error);
      expect(answer).toBeInstanceOf(Refusal);
      expect((answer as Refusal).row.smtp).toBe('451 4.3.0');
    }
    expect(await fixture.stored()).toEqual([]);
    await fixture.program.queue.settle(sent.job, fixture.taken(sent.job));
    await fixture.receive(sent.returnPath, dsn(sent));
    expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
  });

  it('is sent back at once where the mail waits for its next attempt', async () => {
    const sent = await fixture.send([ADA], { settle: false });
    await fixture.program.queue.release([sent.job]);
    await expect(fixture.receive(sent.returnPath, dsn(sent))).rejects.toBeInstanceOf(Refusal);
  });
});

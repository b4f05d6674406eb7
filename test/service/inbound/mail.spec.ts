import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#libs/contracts';
import { openInboundFixture, type InboundFixture } from '../../support/inbound/inbound-fixture.js';
import { arf, dsn, vacation } from '../../support/samples/inbound-reports.js';

const ADA = 'ada@rcpt.example';

let fixture: InboundFixture;
beforeAll(async () => {
  fixture = await openInboundFixture();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

describe('other received messages', () => {
  it('ignores what machines answer to a return path, and never answers', async () => {
    const sent = await fixture.send([ADA]);
    const before = await fixture.rows('SELECT count(*)::int AS mails FROM emails');
    await fixture.receive(sent.returnPath, vacation);
    expect([await fixture.statuses(sent.id), await fixture.stored()]).toEqual([['delivered'], []]);
    expect(await fixture.counted('automatic', 'ignored')).toBeGreaterThan(0);
    await fixture.receive(sent.returnPath, dsn(sent), { mailFrom: sent.returnPath });
    await fixture.receive(fixture.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }), { mailFrom: fixture.fbl });
    expect(await fixture.rows('SELECT count(*)::int AS mails FROM emails')).toEqual(before);
  });

  it('keeps what declares itself an automatic reply and names a failed recipient, and changes nothing', async () => {
    const sent = await fixture.send([ADA]);
    const head = ['From: gateway@rcpt.example', 'Auto-Submitted: auto-replied'];
    await fixture.receive(
      sent.returnPath,
      [...head, `Subject: Undeliverable: ${ADA}`, '', 'We are sorry.'].join('\r\n'),
    );
    expect(await fixture.statuses(sent.id)).toEqual(['delivered']);
    const note = 'an automatic reply that names an address to which delivery failed';
    expect(await fixture.stored()).toEqual([{ verdict: 'kept', note, email_id: sent.id }]);
    expect(await fixture.rows('SELECT reported FROM inbound_messages')).toEqual([{ reported: [ADA] }]);
  });

  it('keeps all mail to mailboxes that people read, and what nobody can read at a return path', async () => {
    const sent = await fixture.send([ADA]);
    for (const role of ['postmaster', 'abuse', 'dmarc', 'tlsrpt', 'fbl'])
      await fixture.receive(`${role}@${fixture.serviceDomain}`, vacation);
    await fixture.receive(sent.returnPath, 'Subject: hello\r\n\r\nplease call me');
    await fixture.receive(sent.returnPath, Buffer.from([0, 255, 13, 10]).toString('latin1'));
    await fixture.receive(`abuse@${fixture.serviceDomain}`, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    const kept = await fixture.stored();
    expect(kept.map(({ verdict }) => verdict)).toEqual([...Array<string>(7).fill('kept'), 'applied']);
    expect(kept.slice(5).map(({ email_id }) => email_id)).toEqual([sent.id, sent.id, sent.id]);
    expect(await fixture.statuses(sent.id)).toEqual(['complained']);
  });

  it('does for each place what a message says, and says it once more where it is told to come again', async () => {
    const [one, two] = [await fixture.send([ADA]), await fixture.send([ADA])];
    const late = await fixture.send([ADA], { settle: false });
    const postmaster = `postmaster@${fixture.serviceDomain}`;
    const to = [one.returnPath, late.returnPath, two.returnPath, postmaster];
    await expect(fixture.receive(to, dsn(null))).rejects.toBeInstanceOf(Refusal);
    expect(await fixture.stored()).toEqual([]);
    await fixture.program.queue.settle(late.job, fixture.taken(late.job));
    await fixture.receive(to, dsn(null));
    for (const { id } of [one, late, two]) expect(await fixture.lateTypes(id)).toEqual(['email.bounced']);
    expect(await fixture.stored()).toMatchObject([{ verdict: 'applied' }]);
  });

  it('writes one line about each, with no address and no word of it', async () => {
    const sent = await fixture.send([ADA]);
    fixture.lines.length = 0;
    await fixture.receive(fixture.fbl, 'From: eve@secret.example\r\nSubject: secret\r\n\r\nsecret', {
      mailFrom: 'eve@secret.example',
    });
    await fixture.receive(sent.returnPath, dsn(sent));
    expect(fixture.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: 'inbound mail', kind: 'unknown', verdict: 'kept', email: null },
      { msg: 'inbound mail', kind: 'delivery', verdict: 'applied', email: sent.id },
    ]);
    expect(fixture.lines.join('')).not.toMatch(/secret|@|No such user/);
  });

  it('keeps the exact bytes, lists the newest first, and says who and what in words that are fit to be shown', async () => {
    const message = Buffer.from('Subject: =?utf-8?B?G1szMW0=?= red\r\n\r\n\0\xff\r\n', 'latin1');
    await fixture.inbound.receive({
      mailFrom: 'a\u0000\u202e@x.example',
      rcptTo: [`postmaster@${fixture.serviceDomain}`],
      mailboxes: [{ kind: 'role', role: 'postmaster' }],
      helo: 'mx.x.example',
      remoteIp: '192.0.2.40',
      message,
    });
    await fixture.receive(fixture.fbl, 'Subject: second\r\n\r\n');
    const [second, first] = await fixture.store.list(10);
    expect(second.subject).toBe('second');
    expect(first).toMatchObject({ mail_from: 'a @x.example', size: message.length, verdict: 'kept' });
    expect(first.subject).not.toMatch(/\p{Cc}/u);
    expect(await fixture.store.raw(first.id)).toEqual(message);
    expect(await fixture.store.list(1)).toHaveLength(1);
    expect(await fixture.store.remove(first.id)).toBe(true);
    expect(await fixture.store.remove(first.id)).toBe(false);
    expect(await fixture.store.raw(first.id)).toBeNull();
  });

  it('forgets after thirty days, and the oldest first beyond ten thousand mails or 512 MiB', async () => {
    const insert = (count: number, size: number, days = 0) =>
      fixture.rows(
        `INSERT INTO inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, verdict, size, raw)
         SELECT 'inb_' || lpad(to_hex((extract(epoch FROM now() - make_interval(days => $3)) * 1000)::bigint), 12, '0')
                || lpad(to_hex(i), 20, '0'), now(), '', '{}', '', 'kept', $2, '' FROM generate_series(1, $1) AS i`,
        count,
        size,
        days,
      );
    await insert(10_001, 1);
    await insert(2, 1, 31);
    expect(await fixture.store.prune()).toBe(3);
    const [oldest] = await fixture.rows<{ id: string }>('SELECT min(id) AS id FROM inbound_messages');
    expect(oldest.id.endsWith('00002')).toBe(true);
    await fixture.clear();
    await insert(100, 8 * 1024 * 1024);
    expect(await fixture.store.prune()).toBe(36);
    expect(await fixture.store.prune()).toBe(0);
  });

  it('deletes the oldest at once when it is flooded', async () => {
    await fixture.rows(
      `INSERT INTO inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, verdict, size, raw)
       VALUES ('inb_${'0'.repeat(32)}', now(), '', '{}', '', 'kept', 1, '')`,
    );
    const large = Buffer.alloc(16 * 1024 * 1024, 'x');
    for (let i = 0; i < 4; i++) await fixture.receive(fixture.fbl, large);
    expect(await fixture.store.raw(`inb_${'0'.repeat(32)}`)).toBeNull();
    expect(await fixture.store.list(10)).toHaveLength(4);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#libs/contracts';
import { openInboundFixture, type InboundFixture } from '../../support/inbound/inbound-fixture.js';
import { arf, dsn, vacation } from '../../support/samples/inbound-reports.js';

const ADA = 'ada@rcpt.example';

let desk: InboundFixture;
beforeAll(async () => {
  desk = await openInboundFixture();
});
afterAll(() => desk?.close());
beforeEach(() => desk.clear());

describe('other mail of the inbound door', () => {
  it('ignores what machines answer to a return path, and never answers', async () => {
    const sent = await desk.send([ADA]);
    const before = await desk.rows('SELECT count(*)::int AS mails FROM emails');
    await desk.receive(sent.returnPath, vacation);
    expect([await desk.statuses(sent.id), await desk.stored()]).toEqual([['delivered'], []]);
    expect(await desk.counted('automatic', 'ignored')).toBeGreaterThan(0);
    await desk.receive(sent.returnPath, dsn(sent), { mailFrom: sent.returnPath });
    await desk.receive(desk.fbl, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }), { mailFrom: desk.fbl });
    expect(await desk.rows('SELECT count(*)::int AS mails FROM emails')).toEqual(before);
  });

  it('keeps what declares itself an automatic reply and names a failed recipient, and changes nothing', async () => {
    const sent = await desk.send([ADA]);
    const head = ['From: gateway@rcpt.example', 'Auto-Submitted: auto-replied'];
    await desk.receive(sent.returnPath, [...head, `Subject: Undeliverable: ${ADA}`, '', 'We are sorry.'].join('\r\n'));
    expect(await desk.statuses(sent.id)).toEqual(['delivered']);
    const note = 'an automatic reply that names an address to which delivery failed';
    expect(await desk.stored()).toEqual([{ verdict: 'kept', note, email_id: sent.id }]);
    expect(await desk.rows('SELECT reported FROM inbound_messages')).toEqual([{ reported: [ADA] }]);
  });

  it('keeps all mail to mailboxes that people read, and what nobody can read at a return path', async () => {
    const sent = await desk.send([ADA]);
    for (const role of ['postmaster', 'abuse', 'dmarc', 'tlsrpt', 'fbl'])
      await desk.receive(`${role}@${desk.serviceDomain}`, vacation);
    await desk.receive(sent.returnPath, 'Subject: hello\r\n\r\nplease call me');
    await desk.receive(sent.returnPath, Buffer.from([0, 255, 13, 10]).toString('latin1'));
    await desk.receive(`abuse@${desk.serviceDomain}`, arf({ head: [`X-Postloft-Ref: ${sent.trace}`] }));
    const kept = await desk.stored();
    expect(kept.map(({ verdict }) => verdict)).toEqual([...Array<string>(7).fill('kept'), 'applied']);
    expect(kept.slice(5).map(({ email_id }) => email_id)).toEqual([sent.id, sent.id, sent.id]);
    expect(await desk.statuses(sent.id)).toEqual(['complained']);
  });

  it('does for each place what a message says, and says it once more where it is told to come again', async () => {
    const [one, two] = [await desk.send([ADA]), await desk.send([ADA])];
    const late = await desk.send([ADA], { settle: false });
    const postmaster = `postmaster@${desk.serviceDomain}`;
    const to = [one.returnPath, late.returnPath, two.returnPath, postmaster];
    await expect(desk.receive(to, dsn(null))).rejects.toBeInstanceOf(Refusal);
    expect(await desk.stored()).toEqual([]);
    await desk.office.queue.settle(late.job, desk.taken(late.job));
    await desk.receive(to, dsn(null));
    for (const { id } of [one, late, two]) expect(await desk.lateTypes(id)).toEqual(['email.bounced']);
    expect(await desk.stored()).toMatchObject([{ verdict: 'applied' }]);
  });

  it('writes one line about each, with no address and no word of it', async () => {
    const sent = await desk.send([ADA]);
    desk.lines.length = 0;
    await desk.receive(desk.fbl, 'From: eve@secret.example\r\nSubject: secret\r\n\r\nsecret', {
      mailFrom: 'eve@secret.example',
    });
    await desk.receive(sent.returnPath, dsn(sent));
    expect(desk.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: 'inbound mail', kind: 'unknown', verdict: 'kept', email: null },
      { msg: 'inbound mail', kind: 'delivery', verdict: 'applied', email: sent.id },
    ]);
    expect(desk.lines.join('')).not.toMatch(/secret|@|No such user/);
  });

  it('keeps the exact bytes, lists the newest first, and says who and what in words that are fit to be shown', async () => {
    const message = Buffer.from('Subject: =?utf-8?B?G1szMW0=?= red\r\n\r\n\0\xff\r\n', 'latin1');
    await desk.inbound.receive({
      mailFrom: 'a\u0000\u202e@x.example',
      rcptTo: [`postmaster@${desk.serviceDomain}`],
      mailboxes: [{ kind: 'role', role: 'postmaster' }],
      helo: 'mx.x.example',
      remoteIp: '192.0.2.40',
      message,
    });
    await desk.receive(desk.fbl, 'Subject: second\r\n\r\n');
    const [second, first] = await desk.store.list(10);
    expect(second.subject).toBe('second');
    expect(first).toMatchObject({ mail_from: 'a @x.example', size: message.length, verdict: 'kept' });
    expect(first.subject).not.toMatch(/\p{Cc}/u);
    expect(await desk.store.raw(first.id)).toEqual(message);
    expect(await desk.store.list(1)).toHaveLength(1);
    expect(await desk.store.remove(first.id)).toBe(true);
    expect(await desk.store.remove(first.id)).toBe(false);
    expect(await desk.store.raw(first.id)).toBeNull();
  });

  it('forgets after thirty days, and the oldest first beyond ten thousand mails or 512 MiB', async () => {
    const insert = (count: number, size: number, days = 0) =>
      desk.rows(
        `INSERT INTO inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, verdict, size, raw)
         SELECT 'inb_' || lpad(to_hex((extract(epoch FROM now() - make_interval(days => $3)) * 1000)::bigint), 12, '0')
                || lpad(to_hex(i), 20, '0'), now(), '', '{}', '', 'kept', $2, '' FROM generate_series(1, $1) AS i`,
        count,
        size,
        days,
      );
    await insert(10_001, 1);
    await insert(2, 1, 31);
    expect(await desk.store.prune()).toBe(3);
    const [oldest] = await desk.rows<{ id: string }>('SELECT min(id) AS id FROM inbound_messages');
    expect(oldest.id.endsWith('00002')).toBe(true);
    await desk.clear();
    await insert(100, 8 * 1024 * 1024);
    expect(await desk.store.prune()).toBe(36);
    expect(await desk.store.prune()).toBe(0);
  });

  it('makes room at once when it is flooded', async () => {
    await desk.rows(
      `INSERT INTO inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, verdict, size, raw)
       VALUES ('inb_${'0'.repeat(32)}', now(), '', '{}', '', 'kept', 1, '')`,
    );
    const large = Buffer.alloc(16 * 1024 * 1024, 'x');
    for (let i = 0; i < 4; i++) await desk.receive(desk.fbl, large);
    expect(await desk.store.raw(`inb_${'0'.repeat(32)}`)).toBeNull();
    expect(await desk.store.list(10)).toHaveLength(4);
  });
});

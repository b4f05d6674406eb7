import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#libs/contracts';
import {
  openInboundFixture,
  type InboundFixture,
  type Origin,
  type SentMail,
} from '../../support/inbound/inbound-fixture.js';
import { arf, dsn } from '../../support/samples/inbound-reports.js';

const FORGER: Origin = { mailFrom: '', helo: 'mx.forger.example', remoteIp: '192.0.2.66' };

let fixture: InboundFixture;
beforeAll(async () => {
  fixture = await openInboundFixture();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

const pair = (domain: string) => [`ada@${domain}`, `grace@${domain}`];
const complaintAbout = (sent: SentMail, address: string) =>
  arf({ rcpt: address, head: [`X-Postloft-Ref: ${sent.trace}`] });

describe('a report about one of several recipients', () => {
  it.each([
    ['a bounce', (sent: SentMail, address: string) => dsn(sent, [{ final: address }]), 'delivery'],
    [
      'a full mailbox',
      (sent: SentMail, address: string) => dsn(sent, [{ final: address, status: '5.2.2' }]),
      'delivery',
    ],
    ['a complaint', complaintAbout, 'feedback'],
    [
      'an opt-out',
      (sent: SentMail, address: string) =>
        arf({ type: 'opt-out', rcpt: address, head: [`X-Postloft-Ref: ${sent.trace}`] }),
      'feedback',
    ],
  ])('without proof leaves status, events and lists as they are: %s', async (_what, report, kind) => {
    const addresses = pair('rcpt.example');
    const sent = await fixture.send(addresses);
    const before = await fixture.counted(kind, 'unproved');
    await fixture.receive(sent.returnPath, report(sent, addresses[1]), FORGER);
    expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'delivered']);
    expect(await fixture.lateTypes(sent.id)).toEqual([]);
    expect([await fixture.suppressed(), await fixture.rows('SELECT * FROM full_mailboxes')]).toEqual([[], []]);
    expect(await fixture.store.list(10, 'unproved')).toMatchObject([
      {
        email_id: sent.id,
        helo: FORGER.helo,
        remote_ip: FORGER.remoteIp,
        reported: [addresses[1]],
        note:
          'not proved to come from the mail system of rcpt.example: SPF: mx.forger.example (HELO) is of others; ' +
          'DKIM: no signature of them; reverse name: none',
      },
    ]);
    expect(await fixture.counted(kind, 'unproved')).toBe(before + 1);
  });

  it('is no proof of a bounce when a person at the same provider sends it', async () => {
    const addresses = pair('rcpt.example');
    const sent = await fixture.send(addresses);
    const report = dsn(sent, [{ final: addresses[1] }]);
    await fixture.receive(sent.returnPath, report, { ...FORGER, mailFrom: 'eve@rcpt.example' });
    expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'delivered']);
    expect(await fixture.store.list(10, 'unproved')).toMatchObject([
      { note: 'its MAIL FROM is not that of a mail system' },
    ]);
  });

  it('is proved by the feedback loop of the provider', async () => {
    const loops: [domain: string, mx: string, origin: Origin, records: () => void][] = [
      [
        'yahoo.co.uk',
        'mx-eu.mail.am0.yahoodns.net',
        { mailFrom: 'feedback@arf.mail.yahoo.com', helo: 'x', remoteIp: '192.0.2.81' },
        () => fixture.dns.set('arf.mail.yahoo.com', { TXT: ['v=spf1 ip4:192.0.2.81 -all'] }),
      ],
      [
        'hotmail.fr',
        'hotmail-com.olc.protection.outlook.com',
        {
          mailFrom: 'staff@forwarder.example',
          helo: 'mail-oln.outbound.protection.outlook.com',
          remoteIp: '192.0.2.82',
        },
        () => {
          fixture.dns.set('82.2.0.192.in-addr.arpa', { PTR: ['mail-oln.outbound.protection.outlook.com'] });
          fixture.dns.set('mail-oln.outbound.protection.outlook.com', {
            A: ['192.0.2.82'],
            TXT: ['v=spf1 ip4:192.0.2.82 -all'],
          });
        },
      ],
    ];
    for (const [domain, exchange, origin, publish] of loops) {
      fixture.dns.set(domain, { MX: [{ preference: 10, exchange }] });
      const addresses = pair(domain);
      const sent = await fixture.send(addresses);
      await fixture.receive(fixture.fbl, complaintAbout(sent, addresses[1]), origin);
      expect(await fixture.statuses(sent.id), domain).toEqual(['delivered', 'delivered']);
      publish();
      await fixture.receive(fixture.fbl, complaintAbout(sent, addresses[1]), origin);
      expect(await fixture.statuses(sent.id), domain).toEqual(['delivered', 'complained']);
    }
    expect((await fixture.suppressed()).map(({ address }) => address)).toEqual([
      'grace@hotmail.fr',
      'grace@yahoo.co.uk',
    ]);
  });

  it('is not proved by the default name of a server that anybody can rent at the hoster of the MX hosts', async () => {
    const hoster = 'static.83.2.0.192.clients.hoster.example';
    fixture.dns.set('customer.example', { MX: [{ preference: 10, exchange: 'mx1.hoster.example' }] });
    fixture.dns.set('83.2.0.192.in-addr.arpa', { PTR: [hoster] });
    fixture.dns.set(hoster, { A: ['192.0.2.83'] });
    const addresses = pair('customer.example');
    for (const helo of [hoster, 'mx1.hoster.example']) {
      const sent = await fixture.send(addresses);
      const origin = { mailFrom: '', helo, remoteIp: '192.0.2.83' };
      await fixture.receive(sent.returnPath, dsn(sent, [{ final: addresses[1] }]), origin);
      await fixture.receive(fixture.fbl, complaintAbout(sent, addresses[1]), origin);
      expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'delivered']);
    }
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('is authenticated for few domains, however many return paths it is sent to', async () => {
    const domains = Array.from({ length: 8 }, (_, i) => `many-${i}.example`);
    const sent: SentMail[] = [];
    for (const domain of domains) sent.push(await fixture.send(pair(domain)));
    fixture.dns.questions.length = 0;
    const failures = domains.map((domain) => ({ final: `ada@${domain}` }));
    await fixture.receive(
      sent.map(({ returnPath }) => returnPath),
      dsn(null, failures),
      FORGER,
    );
    expect(fixture.dns.questions.filter(({ type }) => type === 'MX')).toHaveLength(5);
    for (const { id } of sent) expect(await fixture.statuses(id)).toEqual(['delivered', 'delivered']);
    expect(await fixture.stored()).toMatchObject([{ verdict: 'unproved' }]);
  });

  it('is to come again while DNS does not answer for their domain', async () => {
    fixture.dns.set('silent.example', { fault: 'SERVFAIL' });
    const [ada] = pair('silent.example');
    const sent = await fixture.send(pair('silent.example'));
    await expect(fixture.receive(sent.returnPath, dsn(sent, [{ final: ada }]), FORGER)).rejects.toBeInstanceOf(Refusal);
    expect(await fixture.stored()).toEqual([]);
    expect(await fixture.statuses(sent.id)).toEqual(['delivered', 'delivered']);
  });
});

describe('the token of one recipient', () => {
  it('proves the report of anybody, without a question to DNS', async () => {
    const sent = await fixture.send(['ada@rcpt.example']);
    expect(fixture.returnPath.read(sent.returnPath)).toMatchObject({ alone: true });
    fixture.dns.questions.length = 0;
    await fixture.receive(sent.returnPath, dsn(sent), FORGER);
    expect(await fixture.statuses(sent.id)).toEqual(['bounced']);
    expect(fixture.dns.questions).toEqual([]);
  });

  it('of a message to several says nothing about the others', async () => {
    const sent = await fixture.send(pair('rcpt.example'), { over: { unsubscribe: {} } });
    await fixture.receive(sent.returnPath, dsn(sent, [{ final: 'grace@rcpt.example' }]), FORGER);
    expect(await fixture.statuses(sent.id)).toEqual(['bounced', 'delivered']);
    expect(await fixture.suppressed()).toEqual([]);
  });

  it('of a message that went out before tokens said so counts as one', async () => {
    const sent = await fixture.send(['ada@rcpt.example', 'grace@other.example']);
    const old = fixture.returnPath.address({ emailId: sent.id, ordinal: 0, alone: false });
    await fixture.receive(old, dsn(null), FORGER);
    expect(await fixture.statuses(sent.id)).toEqual(['bounced', 'delivered']);
  });
});

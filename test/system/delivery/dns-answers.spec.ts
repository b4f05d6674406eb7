import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PeerFixture, type SentMail } from '../../support/mail-servers/peer-fixture.js';
import type { DnsName } from '../../support/dns/local-dns.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import type { ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

const ZONE = 'dns-answers.test';

const mx = (...exchanges: string[]): DnsName['MX'] =>
  exchanges.map((exchange, i) => ({ exchange, preference: 10 * i }));

/** Every kind of DNS answer, by domain name; mail to all of the domains is sent at once. */
describe('delivery by what DNS says', () => {
  const fixture = new PeerFixture({ network: 4, zone: ZONE });
  /** A domain with these records and one mail to it. Its addresses are those of servers that accept everything. */
  const domain = (
    records: (address: string) => DnsName,
    others: (address: string) => Record<string, DnsName> = () => ({}),
  ) => {
    const peer = fixture.peer({});
    fixture.zone(peer.domain, records(peer.hosts[0]));
    for (const [name, entry] of Object.entries(others(peer.hosts[0]))) fixture.zone(name, entry);
    return fixture.mail(peer);
  };
  const connections = (sent: SentMail): number => fixture.connections(...sent.peer.hosts);
  const asked = (name: string): string[] =>
    fixture.dns.questions.filter((question) => question.name === name).map(({ type, over }) => `${type} ${over}`);

  beforeAll(() => fixture.open());
  afterAll(() => fixture.stop());

  const nullMx = domain((address) => ({ MX: mx('.'), A: [address] }));
  it('a null MX bounces at once, also beside an address', async () => {
    expect((await nullMx.attempt()).smtp).toMatchObject({ code: 556, enhanced: '5.1.10' });
    expect(await nullMx.ended()).toMatchObject([{ status: 'bounced', attempts: 1 }]);
    const [{ data }] = await nullMx.events('email.bounced');
    expect(data).toMatchObject({ bounce_class: 'bad_domain', bounce_type: 'hard' });
    expect(
      asked(nullMx.peer.domain).filter((question) => question !== 'MX udp' && !question.startsWith('TXT')),
    ).toEqual([]);
    expect(connections(nullMx)).toBe(0);
  });

  const delivered: Record<string, SentMail> = {
    'a null MX beside another is ignored': domain(
      () => ({ MX: mx('.', `beside-null.${ZONE}`) }),
      (address) => ({ [`beside-null.${ZONE}`]: { A: [address] } }),
    ),
    'no MX means the address of the domain': domain((address) => ({ A: [address] })),
    'an exchange that is an address is skipped': domain(
      () => ({ MX: mx('127.0.0.99', `beside-address.${ZONE}`) }),
      (address) => ({ [`beside-address.${ZONE}`]: { A: [address] } }),
    ),
    'an alias is followed': domain(
      () => ({ CNAME: `real.${ZONE}` }),
      (address) => ({
        [`real.${ZONE}`]: { MX: mx(`mx-of-real.${ZONE}`) },
        [`mx-of-real.${ZONE}`]: { CNAME: `host-of-real.${ZONE}` },
        [`host-of-real.${ZONE}`]: { A: [address] },
      }),
    ),
    'an alias of a host without MX goes to its address': domain(
      () => ({ CNAME: `bare-host.${ZONE}` }),
      (address) => ({ [`bare-host.${ZONE}`]: { A: [address] } }),
    ),
    'an exchange that DNS does not know is passed over': domain(
      () => ({ MX: mx(`nowhere.${ZONE}`, `somewhere.${ZONE}`) }),
      (address) => ({ [`somewhere.${ZONE}`]: { A: [address] } }),
    ),
    'an exchange that DNS fails for is passed over': domain(
      () => ({ MX: mx(`failing.${ZONE}`, `working.${ZONE}`) }),
      (address) => ({ [`failing.${ZONE}`]: { fault: 'SERVFAIL' }, [`working.${ZONE}`]: { A: [address] } }),
    ),
  };
  it.each(Object.entries(delivered))('%s', async (_, sent) => {
    expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(connections(sent)).toBe(1);
  });

  const both = domain((address) => ({ A: [address], AAAA: ['2001:db8::1'] }));
  it('IPv4 comes before IPv6', async () => {
    expect(await both.ended()).toMatchObject([{ status: 'delivered', smtp: { ip: both.peer.hosts[0] } }]);
  });

  const peer = fixture.peer(...Array.from({ length: 200 }, () => ({ on: { banner: 'reset' } as const })));
  const many = fixture.mail(peer);
  it('of 200 MX five addresses are used, over TCP', async () => {
    expect(await many.attempt()).toMatchObject({ outcome: 'deferred', certainty: 'not_sent' });
    expect(asked(peer.domain)).toEqual(expect.arrayContaining(['MX udp', 'MX tcp']));
    const second = Date.parse((await many.attempts(2))[1].started_at);
    expect(second).toBeGreaterThan(0);
    const opened = connections(many);
    // An attempt that is under way is not counted yet.
    const [{ attempts }] = (await many.show()).recipients;
    expect(opened).toBeLessThanOrEqual(5 * (attempts + 1));
    expect(opened).toBeGreaterThanOrEqual(5);
  });

  const wide = fixture.peer({});
  fixture.zone(wide.domain, { MX: mx(`wide.${ZONE}`, `mx1-${wide.domain}`) });
  fixture.zone(`wide.${ZONE}`, { A: Array.from({ length: 9 }, (_, i) => `127.0.9.${i + 1}`) });
  const behind = fixture.mail(wide);
  it('many addresses of the first MX leave a place for the second', async () => {
    expect(await behind.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  const gone = {
    records: fixture.mail({ domain: `gone.${ZONE}`, hosts: [] }),
    all: domain(() => ({ TXT: ['nothing else'] })),
  };
  it.each(Object.entries(gone))(
    'a domain that is not there (%s) bounces at the second lookup only',
    async (_, sent) => {
      const [first, second] = await sent.attempts(2);
      expect([first.outcome, first.smtp?.enhanced, first.phase]).toEqual(['deferred', '5.1.2', 'dns']);
      expect(second.smtp).toMatchObject({ code: null, enhanced: '5.1.2' });
      expect(await sent.ended()).toMatchObject([{ status: 'bounced', attempts: 2 }]);
      const [{ data }] = await sent.events('email.bounced');
      expect(data).toMatchObject({ bounce_class: 'bad_domain', bounce_type: 'hard' });
    },
  );

  it('a domain that exists again at the second lookup gets its mail', async () => {
    const back = await fixture.mail({ domain: `back.${ZONE}`, hosts: [] }).send();
    await back.attempt();
    fixture.dns.set(`back.${ZONE}`, { A: nullMx.peer.hosts });
    expect((await back.ended())[0].status).toBe('delivered');
  });

  const faults = {
    SERVFAIL: domain(() => ({ fault: 'SERVFAIL' })),
    REFUSED: domain(() => ({ fault: 'REFUSED' })),
    nonsense: domain(() => ({ fault: 'malformed' })),
    silence: domain(() => ({ fault: 'silent' })),
    'a loop of aliases': domain(
      () => ({ CNAME: `loop.${ZONE}` }),
      (address) => ({
        [`loop.${ZONE}`]: { CNAME: `looped.${ZONE}` },
        [`looped.${ZONE}`]: { CNAME: `loop.${ZONE}`, A: [address] },
      }),
    ),
    'an exchange in a loop of aliases': domain(
      () => ({ MX: mx(`turn.${ZONE}`) }),
      () => ({ [`turn.${ZONE}`]: { CNAME: `turned.${ZONE}` }, [`turned.${ZONE}`]: { CNAME: `turn.${ZONE}` } }),
    ),
    'an exchange that DNS fails for': domain(
      () => ({ MX: mx(`broken.${ZONE}`) }),
      () => ({ [`broken.${ZONE}`]: { fault: 'SERVFAIL' } }),
    ),
  } satisfies Record<string, SentMail>;
  it.each(Object.entries(faults))('%s defers and never bounces', async (_, sent) => {
    for (const attempt of await sent.attempts(2))
      expect(attempt).toMatchObject({
        outcome: 'deferred',
        certainty: 'not_sent',
        phase: 'dns',
        smtp: { enhanced: '4.4.3' },
      });
    expect(connections(sent)).toBe(0);
  });

  const own = domain(
    () => ({ MX: mx(`own.${ZONE}`) }),
    () => ({ [`own.${ZONE}`]: { A: ['127.0.0.1'] } }),
  );
  it('an MX that is our own listener bounces', async () => {
    expect((await own.attempt()).smtp).toMatchObject({ enhanced: '5.4.4' });
    expect(await own.ended()).toMatchObject([{ status: 'bounced', attempts: 1 }]);
  });
});

/** On the service `inbound`, because the source addresses of `delivery` are IPv4 addresses. */
describe('delivery to a server that has an IPv6 address only', () => {
  let network: MailNetwork<ServiceAccount>;
  beforeAll(async () => {
    network = await MailNetwork.open('inbound', ['ipv6.test']);
  });
  afterAll(() => network?.close());

  it('goes there', async () => {
    const { dns, sender } = network;
    dns.set('ipv6.test', { MX: [{ preference: 10, exchange: 'mx.ipv6.test' }] });
    dns.set('mx.ipv6.test', { AAAA: ['::1'] });
    const server = await network.mailServerAt('::1');
    const id = await sender.send({ to: 'one@ipv6.test' });
    await server.waitForMails(1);
    const recipient = await until(async () => {
      const { recipients } = await sender.json<{ recipients: { status: string; smtp: { ip: string } | null }[] }>(
        'GET',
        `/emails/${id}`,
      );
      return recipients[0].status === 'delivered' && recipients[0];
    });
    expect(recipient.smtp?.ip).toBe('::1');
  });
});

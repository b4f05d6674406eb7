import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PeerStage, type SentMail } from '../support/peer-stage.js';
import { pythonWith } from '../support/python-with.js';
import type { DnsName } from '../support/local-dns.js';
import { until } from '../support/until.js';

const python = pythonWith('aiosmtpd.smtp');

const mx = (...exchanges: string[]): DnsName['MX'] =>
  exchanges.map((exchange, i) => ({ exchange, preference: 10 * i }));
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const heldFor = async (answer: Response): Promise<{ kind: string; because: string } | null> => {
  const { recipients } = (await answer.json()) as { recipients: { because: string; held: { kind: string } | null }[] };
  const [{ held, because }] = recipients;
  return held && { kind: held.kind, because };
};
const HONEST = { kind: 'honest' } as const;
const SETTINGS = {
  // A DNS question waits no longer than a connection: 2 s, as it is shipped, and twice at most.
  SMTP_OUT_TIMEOUTS: 'connect=2s,greeting=5s,ehlo=5s,mail=5s,rcpt=5s,data=5s,dot=5s,total=10s',
  DELIVERY_RETRY_SCHEDULE: '1s,2s',
  DELIVERY_CONCURRENCY: '200',
};

/** What DNS may answer, from a server that answers by name. One program asks for all names at once. */
describe.skipIf(python === null)('delivery by what DNS says', () => {
  const stage = new PeerStage();
  /** A domain with these records, and one mail to it. Its addresses are those of servers that take everything. */
  const domain = (
    records: (address: string) => DnsName,
    others: (address: string) => Record<string, DnsName> = () => ({}),
  ) => {
    const peer = stage.peer(HONEST);
    stage.zone(peer.domain, records(peer.hosts[0]));
    for (const [name, entry] of Object.entries(others(peer.hosts[0]))) stage.zone(name, entry);
    return stage.mail(peer);
  };
  const connections = (sent: SentMail): number =>
    sent.peer.hosts.reduce((sum, host) => sum + stage.mx.at(host, 'open').length, 0);
  const dnsAway = async (): Promise<number> => {
    const shown = await (await fetch(`${stage.program.url}/metrics`)).text();
    return Number(/^postloft_dns_away (\d+)$/m.exec(shown)?.[1]);
  };
  const asked = (name: string): string[] =>
    stage.dns.questions.filter((question) => question.name === name).map(({ type, over }) => `${type} ${over}`);

  beforeAll(() => stage.start(python ?? '', SETTINGS));
  afterAll(() => stage.stop());

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
      () => ({ MX: mx('.', 'beside-null.test') }),
      (address) => ({ 'beside-null.test': { A: [address] } }),
    ),
    'no MX means the address of the domain': domain((address) => ({ A: [address] })),
    'an exchange that is an address is skipped': domain(
      () => ({ MX: mx('127.0.0.99', 'beside-address.test') }),
      (address) => ({ 'beside-address.test': { A: [address] } }),
    ),
    'an alias is followed': domain(
      () => ({ CNAME: 'real.test' }),
      (address) => ({
        'real.test': { MX: mx('mx-of-real.test') },
        'mx-of-real.test': { CNAME: 'host-of-real.test' },
        'host-of-real.test': { A: [address] },
      }),
    ),
    'an alias of a host without MX goes to its address': domain(
      () => ({ CNAME: 'bare-host.test' }),
      (address) => ({ 'bare-host.test': { A: [address] } }),
    ),
    'an exchange that DNS does not know is passed over': domain(
      () => ({ MX: mx('nowhere.test', 'somewhere.test') }),
      (address) => ({ 'somewhere.test': { A: [address] } }),
    ),
    'an exchange that DNS fails for is passed over': domain(
      () => ({ MX: mx('failing.test', 'working.test') }),
      (address) => ({ 'failing.test': { fault: 'SERVFAIL' }, 'working.test': { A: [address] } }),
    ),
  };
  it.each(Object.entries(delivered))('%s', async (_, sent) => {
    expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(connections(sent)).toBe(1);
  });

  const six = stage.mail({ domain: 'six.test', hosts: ['::1'] });
  stage.host('::1', HONEST);
  stage.zone('six.test', { MX: mx('mx-six.test') });
  stage.zone('mx-six.test', { AAAA: ['::1'] });
  it('an IPv6 address is spoken to', async () => {
    expect(await six.ended()).toMatchObject([{ status: 'delivered', smtp: { ip: '::1' } }]);
  });

  const both = domain((address) => ({ A: [address], AAAA: ['2001:db8::1'] }));
  it('IPv4 comes before IPv6', async () => {
    expect(await both.ended()).toMatchObject([{ status: 'delivered', smtp: { ip: both.peer.hosts[0] } }]);
  });

  const crowd = stage.peer(...Array.from({ length: 200 }, () => ({ banner: { cut: 'rst' } as const })));
  const many = stage.mail(crowd);
  it('of 200 MX five addresses are used, over TCP', async () => {
    expect(await many.attempt()).toMatchObject({ outcome: 'deferred', certainty: 'not_sent' });
    expect(asked(crowd.domain)).toEqual(expect.arrayContaining(['MX udp', 'MX tcp']));
    const second = Date.parse((await many.attempts(2))[1].started_at);
    expect(second).toBeGreaterThan(0);
    expect(connections(many)).toBeLessThanOrEqual(10);
    expect(connections(many)).toBeGreaterThanOrEqual(5);
  });

  const wide = stage.peer(HONEST);
  stage.zone(wide.domain, { MX: mx('wide.test', `mx1-${wide.domain}`) });
  stage.zone('wide.test', { A: Array.from({ length: 9 }, (_, i) => `127.0.9.${i + 1}`) });
  const behind = stage.mail(wide);
  it('many addresses of the first MX leave a place for the second', async () => {
    expect(await behind.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  const gone = {
    records: stage.mail({ domain: 'gone.test', hosts: [] }),
    all: domain(() => ({ TXT: ['nothing else'] })),
  };
  it.each(Object.entries(gone))('a domain that is not there (%s) bounces at the second look only', async (_, sent) => {
    const [first, second] = await sent.attempts(2);
    expect([first.outcome, first.smtp?.enhanced, first.phase]).toEqual(['deferred', '5.1.2', 'dns']);
    expect(second.smtp).toMatchObject({ code: null, enhanced: '5.1.2' });
    expect(await sent.ended()).toMatchObject([{ status: 'bounced', attempts: 2 }]);
    const [{ data }] = await sent.events('email.bounced');
    expect(data).toMatchObject({ bounce_class: 'bad_domain', bounce_type: 'hard' });
  });

  it('a domain that comes back before the second look gets its mail', async () => {
    const back = await stage.mail({ domain: 'back.test', hosts: [] }).send();
    await back.attempt();
    stage.dns.set('back.test', { A: nullMx.peer.hosts });
    expect((await back.ended())[0].status).toBe('delivered');
  });

  const faults = {
    SERVFAIL: domain(() => ({ fault: 'SERVFAIL' })),
    REFUSED: domain(() => ({ fault: 'REFUSED' })),
    nonsense: domain(() => ({ fault: 'malformed' })),
    silence: domain(() => ({ fault: 'silent' })),
    'a loop of aliases': domain(
      () => ({ CNAME: 'loop.test' }),
      (address) => ({ 'loop.test': { CNAME: 'looped.test' }, 'looped.test': { CNAME: 'loop.test', A: [address] } }),
    ),
    'an exchange in a loop of aliases': domain(
      () => ({ MX: mx('turn.test') }),
      () => ({ 'turn.test': { CNAME: 'turned.test' }, 'turned.test': { CNAME: 'turn.test' } }),
    ),
    'an exchange that DNS fails for': domain(
      () => ({ MX: mx('broken.test') }),
      () => ({ 'broken.test': { fault: 'SERVFAIL' } }),
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
    () => ({ MX: mx('own.test') }),
    () => ({ 'own.test': { A: ['127.0.0.1'] } }),
  );
  it('our own listener is nobody to send to', async () => {
    expect((await own.attempt()).smtp).toMatchObject({ enhanced: '5.4.4' });
    expect(await own.ended()).toMatchObject([{ status: 'bounced', attempts: 1 }]);
  });

  it('while all of it is away mail is taken as ever and no attempt is counted; all of it goes out soon after', async () => {
    const peers = Array.from({ length: 160 }, (_, i) => ({ domain: `away-${i}.test`, hosts: nullMx.peer.hosts }));
    for (const { domain: name, hosts } of peers) stage.dns.set(name, { A: hosts });
    const sent: SentMail[] = [];
    // Each is answered by 2xx, or `send` throws.
    const send = async (count: number): Promise<void> => {
      const some = peers.splice(0, count).map((peer) => stage.mail(peer));
      sent.push(...some);
      await Promise.all(some.map((one) => one.send()));
    };
    const under = send(20);
    stage.dns.isAway = true;
    await under;
    for (const end = Date.now() + 8_000; Date.now() < end; await sleep(400)) await send(6);
    const held = await until(() => stage.program.call('GET', `/emails/${sent[0].id}/explain`).then(heldFor), {
      what: 'the reason why the mail waits',
    });
    expect(held).toEqual({ kind: 'dns', because: `No name server answers: ${stage.dns.address}.` });
    expect(await dnsAway()).toBe(1);
    const asked = stage.dns.questions.length;
    await sleep(2_000);
    // One probe each second, of two tries, and a mail's own question now and then.
    expect(stage.dns.questions.length - asked).toBeLessThan(20);

    stage.dns.isAway = false;
    const backAt = Date.now();
    await send(10);
    const ended = await Promise.all(sent.map((one) => one.ended()));
    expect(Date.now() - backAt).toBeLessThan(30_000);
    const retried = sent.filter((_, i) => ended[i][0].attempts > 1);
    expect((await Promise.all(retried.map((one) => one.attempts(1)))).flat()).toEqual([]);
    expect(new Set(ended.map(([{ status, attempts }]) => `${status} ${attempts}`))).toEqual(new Set(['delivered 1']));
    const names = stage.mx.dots(...nullMx.peer.hosts).flatMap(({ recipients = [] }) => recipients);
    expect(names.filter((name) => name.includes('@away-'))).toHaveLength(sent.length);
    expect(await dnsAway()).toBe(0);
    const told = stage.program.output().match(/mail waits for DNS|DNS answers again/g);
    expect(told).toEqual(['mail waits for DNS', 'DNS answers again']);
  });
});

/** The same without `ALLOW_PRIVATE_MX`: whatever listens on this machine and its networks is out of reach. */
describe.skipIf(python === null)('delivery by what DNS says, on the internet', () => {
  const stage = new PeerStage();
  const listener = stage.peer(HONEST);
  const forbidden = [
    ['127.0.0.1'],
    [listener.hosts[0]],
    ['10.0.0.1'],
    ['192.168.1.1', '172.16.0.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['0.0.0.0'],
  ].map((addresses, i) => {
    stage.zone(`inside-${i}.test`, { MX: mx(`mx-inside-${i}.test`) });
    stage.zone(`mx-inside-${i}.test`, {
      A: addresses,
      AAAA: i === 0 ? ['::1', '::ffff:10.0.0.1', 'fe80::1', 'fd00::1'] : [],
    });
    return { addresses, sent: stage.mail({ domain: `inside-${i}.test`, hosts: [] }) };
  });
  // Each question gets another answer, none of which is kept.
  stage.zone('rebound.test', { rotating: [['10.0.0.1'], listener.hosts, ['127.0.0.1']], ttl: 0 });
  const rebound = stage.mail({ domain: 'rebound.test', hosts: [] });

  beforeAll(() => stage.start(python ?? '', { ...SETTINGS, ALLOW_PRIVATE_MX: 'false' }));
  afterAll(() => stage.stop());

  it.each(forbidden)('an MX at $addresses is not connected to', async ({ sent }) => {
    expect((await sent.attempt()).smtp).toMatchObject({ code: null, enhanced: '5.4.4' });
    expect(await sent.ended()).toMatchObject([{ status: 'bounced', attempts: 1 }]);
  });

  it('an address that changes between look-up and connection is neither', async () => {
    expect(await rebound.ended()).toMatchObject([{ status: 'bounced' }]);
    const looked = await until(() =>
      Promise.resolve(stage.dns.questions.filter(({ name, type }) => name === 'rebound.test' && type === 'A')),
    );
    expect(looked).toHaveLength(1);
    expect(stage.mx.events.filter(({ event }) => event === 'open')).toEqual([]);
  });
});

import { beforeAll, expect, it } from 'vitest';
import type { MailNetwork } from '../../support/services/mail-network.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { until } from '../../support/timing/until.js';

interface Recipient {
  status: string;
  attempts: number;
  smtp: { code: number | null; enhanced: string | null } | null;
}

/** The host at the first address of the network listens. */
const LISTENER = 'the address of a listener';
const FORBIDDEN = [
  ['127.0.0.1'],
  [LISTENER],
  ['10.0.0.1'],
  ['192.168.1.1', '172.16.0.1'],
  ['169.254.169.254'],
  ['100.64.0.1'],
  ['0.0.0.0'],
];
const IPV6 = ['::1', '::ffff:10.0.0.1', 'fe80::1', 'fd00::1'];

/** Without `ALLOW_PRIVATE_MX` nothing that listens on this machine and its networks is connected to. */
export function privateAddressesSuite(open: () => MailNetwork): void {
  let network: MailNetwork;
  let listener: string;
  let mx: ScriptedMx;

  beforeAll(async () => {
    network = open();
    listener = network.nextAddress();
    mx = await network.mailServerAt(listener);
  });

  const bounced = async (domain: string): Promise<Recipient> => {
    const { sender } = network;
    const sent = await sender.call('POST', '/emails', sender.mail({ to: `one@${domain}` }));
    expect(sent.status).toBe(201);
    const { id } = (await sent.json()) as { id: string };
    return until(
      async () => {
        const shown = await sender.call('GET', `/emails/${id}`);
        const [recipient] = ((await shown.json()) as { recipients: Recipient[] }).recipients;
        return recipient.status === 'bounced' && recipient;
      },
      { what: `mail to ${domain} to bounce` },
    );
  };

  it.each(FORBIDDEN.map((addresses, i) => ({ addresses, i })))(
    'an MX at $addresses is not connected to',
    async ({ addresses, i }) => {
      const exchange = `mx-inside-${i}.test`;
      network.dns.set(`inside-${i}.test`, { MX: [{ preference: 10, exchange }] });
      network.dns.set(exchange, {
        A: addresses.map((address) => (address === LISTENER ? listener : address)),
        AAAA: i === 0 ? IPV6 : [],
      });
      expect(await bounced(`inside-${i}.test`)).toMatchObject({ attempts: 1, smtp: { code: null, enhanced: '5.4.4' } });
    },
  );

  it('an address that changes between look-up and connection is not connected to either', async () => {
    // Each question gets another answer, none of which is kept.
    network.dns.set('rebound.test', { rotating: [['10.0.0.1'], [listener], ['127.0.0.1']], ttl: 0 });
    await bounced('rebound.test');
    const looked = network.dns.questions.filter(({ name, type }) => name === 'rebound.test' && type === 'A');
    expect(looked).toHaveLength(1);
    expect(mx.sessions).toEqual([]);
  });
}

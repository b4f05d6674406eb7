import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import type { ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

interface Shown {
  status: string;
  recipients: {
    address: string;
    status: string;
    attempts: number;
    smtp: { code: number; enhanced: string; text: string } | null;
    next_attempt_at: string | null;
  }[];
}

const ZONE = 'deliver-mx.test';

/** `DELIVERY_MODE=mx` with a scripted server that is the MX of every domain. */
describe('delivery to the recipients’ servers', () => {
  const greeted = new Set<string>();
  let network: MailNetwork<ServiceAccount>;
  let program: ServiceAccount;
  let mx: ScriptedMx;

  beforeAll(async () => {
    network = await MailNetwork.open('delivery', [ZONE]);
    program = network.sender;
    mx = await network.mailServer(`recipients.${ZONE}`, {
      on: {
        rcpt: ({ line }) => {
          if (line.includes('<unknown@')) return '550 5.1.1 No such user';
          if (line.includes('<full@')) return '452 4.2.2 Mailbox full';
          if (line.includes('<grey@') && !greeted.has(line)) {
            greeted.add(line);
            return '451 4.7.1 Greylisted, try again later';
          }
          return undefined;
        },
      },
    });
    network.dns.set(`null-mx.${ZONE}`, { MX: [{ preference: 0, exchange: '.' }] });
    network.dns.set(`broken.${ZONE}`, { fault: 'SERVFAIL' });
  });
  afterAll(() => network?.close());

  const send = async (over: Record<string, unknown>) =>
    ((await (await program.call('POST', '/emails', program.mail(over))).json()) as { id: string }).id;
  const show = async (id: string) => (await (await program.call('GET', `/emails/${id}`)).json()) as Shown;
  const becomes = (id: string, status: string) =>
    until(
      async () => {
        const shown = await show(id);
        return shown.status === status ? shown : null;
      },
      { what: `status ${status} of ${id}` },
    );

  it('hands a signed mail to the MX, with the envelope and without Bcc', async () => {
    const id = await send({ to: [`ada@recipients.${ZONE}`], bcc: [`hidden@recipients.${ZONE}`] });
    const shown = await becomes(id, 'delivered');
    expect(shown.recipients).toMatchObject([{ attempts: 1, smtp: { code: 250 } }, { attempts: 1 }]);
    const received = mx.accepted.find((candidate) => candidate.recipients.includes(`ada@recipients.${ZONE}`));
    expect(received?.recipients.sort()).toEqual([`ada@recipients.${ZONE}`, `hidden@recipients.${ZONE}`]);
    expect(received?.mailFrom).toMatch(/^b\+[a-z2-7]+@bounces\.postloft\.test$/);
    const text = received?.content.toString() ?? '';
    expect(text).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256/m);
    expect(text).toMatch(/a=ed25519-sha256/);
    expect(text).not.toContain('hidden@');
  });

  it('tries again after a temporary answer and delivers then', async () => {
    const id = await send({ to: `grey@recipients.${ZONE}` });
    const deferred = await becomes(id, 'deferred');
    expect(deferred.recipients[0]).toMatchObject({ attempts: 1, smtp: { code: 451, enhanced: '4.7.1' } });
    expect(deferred.recipients[0].next_attempt_at).not.toBeNull();
    expect((await becomes(id, 'delivered')).recipients[0].attempts).toBe(2);
  });

  it('bounces and suppresses an unknown recipient and delivers to the other one', async () => {
    const id = await send({ to: [`unknown@recipients.${ZONE}`, `fine@recipients.${ZONE}`] });
    const shown = await becomes(id, 'bounced');
    expect(shown.recipients.map((recipient) => recipient.status)).toEqual(['bounced', 'delivered']);
    const again = await program.call('POST', '/emails', program.mail({ to: `unknown@recipients.${ZONE}` }));
    expect(again.status).toBe(422);
    expect(await again.json()).toMatchObject({
      error: 'unprocessable_entity',
      details: [{ field: 'to[0]', code: 'suppressed' }],
    });
  });

  it('bounces a domain that takes no mail at once, and defers when DNS fails', async () => {
    const nullMx = await send({ to: `a@null-mx.${ZONE}` });
    const broken = await send({ to: `a@broken.${ZONE}` });
    expect((await becomes(nullMx, 'bounced')).recipients[0].smtp).toMatchObject({ enhanced: '5.1.10' });
    expect((await becomes(broken, 'deferred')).recipients[0].smtp?.enhanced).toMatch(/^4\./);
  });

  it('sends the same bytes at the second attempt', async () => {
    const cut = new Set<string>();
    mx.script = {
      on: {
        // The server accepts the first copy and closes the connection instead of replying.
        dot: ({ accepted }) => {
          const address = accepted.find((candidate) => candidate.includes('cut@'));
          if (!address || cut.has(address)) return undefined;
          cut.add(address);
          return 'close';
        },
      },
    };
    const id = await send({ to: `cut@recipients.${ZONE}` });
    await becomes(id, 'delivered');
    const copies = mx.mails.filter((candidate) => candidate.recipients.some((address) => address.includes('cut@')));
    expect(copies).toHaveLength(2);
    const withoutSignatures = (content: Buffer) => content.toString().slice(content.toString().indexOf('\r\nFrom:'));
    expect(withoutSignatures(copies[0].content)).toBe(withoutSignatures(copies[1].content));
  });
});

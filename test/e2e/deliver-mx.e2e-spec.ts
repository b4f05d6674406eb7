import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../support/local-dns.js';
import { mail } from '../support/mail.js';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { ScriptedMx } from '../support/scripted-mx.js';
import { until } from '../support/until.js';

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

/** `DELIVERY_MODE=mx` against a scripted server that a local DNS names as everybody's MX. */
describe('delivery to the recipients’ servers', () => {
  let dns: LocalDns;
  let mx: ScriptedMx;
  let program: RunningProgram;

  beforeAll(async () => {
    mx = await ScriptedMx.start({
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
    dns = await LocalDns.start({
      'recipients.test': { MX: [{ preference: 10, exchange: 'mx.recipients.test' }] },
      'mx.recipients.test': { A: ['127.0.0.1'] },
      'null-mx.test': { MX: [{ preference: 0, exchange: '.' }] },
      'broken.test': { fault: 'SERVFAIL' },
    });
    program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
      DELIVERY_RETRY_SCHEDULE: '1s,2s',
      DELIVERY_LIFETIME: '1h',
    });
  });
  afterAll(async () => {
    await program?.stop();
    await mx?.close();
    await dns?.close();
    program?.clean();
  });
  const greeted = new Set<string>();

  const send = async (over: Record<string, unknown>) =>
    ((await (await program.call('POST', '/emails', mail(over))).json()) as { id: string }).id;
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
    const id = await send({ to: ['ada@recipients.test'], bcc: ['hidden@recipients.test'] });
    const shown = await becomes(id, 'delivered');
    expect(shown.recipients).toMatchObject([{ attempts: 1, smtp: { code: 250 } }, { attempts: 1 }]);
    const received = mx.accepted.find((candidate) => candidate.recipients.includes('ada@recipients.test'));
    expect(received?.recipients.sort()).toEqual(['ada@recipients.test', 'hidden@recipients.test']);
    expect(received?.mailFrom).toMatch(/^b\+[a-z2-7]+@bounces\.postloft\.test$/);
    const text = received?.content.toString() ?? '';
    expect(text).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256/m);
    expect(text).toMatch(/a=ed25519-sha256/);
    expect(text).not.toContain('hidden@');
  });

  it('tries again after a temporary answer and delivers then', async () => {
    const id = await send({ to: 'grey@recipients.test' });
    const deferred = await becomes(id, 'deferred');
    expect(deferred.recipients[0]).toMatchObject({ attempts: 1, smtp: { code: 451, enhanced: '4.7.1' } });
    expect(deferred.recipients[0].next_attempt_at).not.toBeNull();
    expect((await becomes(id, 'delivered')).recipients[0].attempts).toBe(2);
  });

  it('bounces an unknown recipient, tells the other one apart, and suppresses the unknown one', async () => {
    const id = await send({ to: ['unknown@recipients.test', 'fine@recipients.test'] });
    const shown = await becomes(id, 'bounced');
    expect(shown.recipients.map((recipient) => recipient.status)).toEqual(['bounced', 'delivered']);
    const again = await program.call('POST', '/emails', mail({ to: 'unknown@recipients.test' }));
    expect(again.status).toBe(422);
    expect(await again.json()).toMatchObject({
      error: 'unprocessable_entity',
      details: [{ field: 'to[0]', code: 'suppressed' }],
    });
  });

  it('bounces a domain that takes no mail at once, and defers when DNS fails', async () => {
    const nullMx = await send({ to: 'a@null-mx.test' });
    const broken = await send({ to: 'a@broken.test' });
    expect((await becomes(nullMx, 'bounced')).recipients[0].smtp).toMatchObject({ enhanced: '5.1.10' });
    expect((await becomes(broken, 'deferred')).recipients[0].smtp?.enhanced).toMatch(/^4\./);
  });

  it('sends the same bytes at the second attempt', async () => {
    const cut = new Set<string>();
    mx.script = {
      on: {
        // The first copy is taken, but the answer never comes.
        dot: ({ accepted }) => {
          const address = accepted.find((candidate) => candidate.includes('cut@'));
          if (!address || cut.has(address)) return undefined;
          cut.add(address);
          return 'close';
        },
      },
    };
    const id = await send({ to: 'cut@recipients.test' });
    await becomes(id, 'delivered');
    const copies = mx.mails.filter((candidate) => candidate.recipients.some((address) => address.includes('cut@')));
    expect(copies).toHaveLength(2);
    const withoutSignatures = (content: Buffer) => content.toString().slice(content.toString().indexOf('\r\nFrom:'));
    expect(withoutSignatures(copies[0].content)).toBe(withoutSignatures(copies[1].content));
  });
});

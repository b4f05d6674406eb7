import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaintMessage } from '../support/complaint-samples.js';
import { goldenReportMail } from '../support/golden-reports.js';
import { InboundStage, REPORTERS, type Delivered } from '../support/inbound-stage.js';
import { judgeWithPython } from '../support/mail-judges.js';
import { play, type Theatre } from '../support/smtp-player.js';
import { readDialogues } from '../support/smtp-script.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const run = promisify(execFile);
const SERVICE = 'postloft.test';
const CUSTOMER = 'shop.customer.example';
const OUR_ADDRESS = '203.0.113.25';
/** What some server somewhere takes for the end of a message (S-15). */
const ENDS = [
  '\n.\n',
  '\n.\r\n',
  '\r\n.\n',
  '\r.\r',
  '\r.\r\n',
  '\r\n.\r',
  '\r.\n',
  '\n.\r',
  '\n\n.\n\n',
  '\r\r.\r\r',
  '\r\n.\0\r\n',
  '\r\n\0.\r\n',
  '\r\n.\t\r\n',
  '\r\n. \r\n',
  '\r\n..\r\n',
];
/** Where a client breaks the connection off: what it has sent by then. */
const BREAKS = [
  '',
  'EHLO mx.example\r\n',
  'EHLO mx.example\r\nSTARTTLS\r\n',
  'EHLO mx.example\r\nSTARTTLS\r\n\x16\x03\x01\x02\x00\x01',
  'EHLO mx.example\r\nMAIL FROM:<>\r\n',
  'EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\n',
  'EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\n',
  'EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\nSubject: broken off\r\n\r\nhalf',
];

/** Another server's reports about our mail, from its first connection to what the customer hears of it. */
describe('the inbound door', () => {
  let stage: InboundStage;
  let hook: WebhookReceiver;
  /** Sent below the customer's own domain. */
  let aligned: Delivered;
  let domainId: string;

  beforeAll(async () => {
    hook = await WebhookReceiver.start();
    const slowly = { drip: '250 2.0.0 taken', everyMs: 60 };
    stage = await InboundStage.start(
      { DOMAIN_CHECK_INTERVAL: '500ms' },
      { on: { dot: ({ accepted }) => (accepted.includes('early@recipients.test') ? slowly : undefined) } },
    );
    const events = ['email.delivered', 'email.bounced', 'email.complained'];
    const made = await stage.program.call('POST', '/webhooks', { url: hook.url('/hook'), events });
    if (made.status !== 201) throw new Error(await made.text());
    domainId = await stage.verified(CUSTOMER);
    aligned = await stage.delivered('aligned@recipients.test', { from: `shop@${CUSTOMER}` });
  });
  afterAll(async () => {
    await stage?.stop();
    await hook?.close();
  });

  /** Of what ends a delivery. */
  const tells = async (id: string, ...types: string[]) => {
    const told = async () =>
      (await stage.events(id)).map(({ type }) => type).filter((type) => /delivered|bounced|complained/.test(type));
    await until(async () => (await told()).length >= types.length, { what: types.join(', ') });
    expect(await told()).toEqual(types);
  };
  const stays = async ({ id, recipient }: Delivered) => {
    expect(await stage.read(id)).toMatchObject({ status: 'delivered', recipients: [{ status: 'delivered' }] });
    expect(await stage.isSuppressed(recipient)).toBe(false);
  };
  const hooked = (id: string) =>
    hook.calls
      .map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } })
      .filter(({ data }) => data.id === id)
      .map(({ type }) => type);
  const bounce = (sent: Delivered) => goldenReportMail('postfix-unknown-user', sent);
  const complaint = (sent: Delivered) =>
    complaintMessage('yahoo', {
      return_path: sent.returnPath,
      trace: sent.trace,
      message_id: sent.messageId,
      recipient: sent.recipient,
      service_domain: SERVICE,
    });

  describe('of a bounce after delivery', () => {
    it('makes an event, a webhook call and an entry of the list, once', async () => {
      const sent = await stage.delivered('gone@recipients.test');
      expect(sent.returnPath).toMatch(/^b\+[a-z2-7]{40}@bounces\.postloft\.test$/);
      for (const reply of [
        await stage.report(bounce(sent), sent.returnPath),
        await stage.report(bounce(sent), sent.returnPath),
      ])
        expect(reply).toMatch(/^250 2\.\d\.\d /);
      await tells(sent.id, 'email.delivered', 'email.bounced');
      const bounced = (await stage.events(sent.id)).find(({ type }) => type === 'email.bounced');
      expect(bounced?.data).toMatchObject({
        recipient: 'gone@recipients.test',
        bounce_type: 'hard',
        bounce_class: 'invalid_recipient',
      });
      expect(await stage.read(sent.id)).toMatchObject({ status: 'bounced', recipients: [{ status: 'bounced' }] });
      const explained = await stage.program.call('GET', `/emails/${sent.id}/explain`);
      expect(((await explained.json()) as { recipients: { because: string }[] }).recipients[0].because).toMatch(
        /took it at 20[-0-9T:.]+Z, and it came back\. .*reported: 550 5\.1\.1 /,
      );
      expect(await stage.isSuppressed('gone@recipients.test')).toBe(true);
      await until(async () => hooked(sent.id).length >= 2, { what: 'the webhook calls' });
      expect(hooked(sent.id).toSorted()).toEqual(['email.bounced', 'email.delivered']);
    });

    it('that comes before the delivery is written down says that it shall come again, and then counts', async () => {
      const sent = await stage.sent('early@recipients.test');
      await expect(stage.report(bounce(sent), sent.returnPath)).rejects.toThrow(/451 4\.\d\.\d /);
      await stage.becomes(sent.id, 'delivered');
      expect(await stage.report(bounce(sent), sent.returnPath)).toMatch(/^250 /);
      await tells(sent.id, 'email.delivered', 'email.bounced');
    });

    it('takes it from swaks', async ({ skip }) => {
      const found = await run('swaks', ['--version']).then(
        () => true,
        () => false,
      );
      if (!found && process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error('swaks is not installed');
      if (!found) skip('swaks is not installed');
      const sent = await stage.delivered('swaks@recipients.test');
      const folder = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
      writeFileSync(join(folder, 'bounce'), bounce(sent));
      const { stdout } = await run('swaks', [
        ...['--server', '127.0.0.1', '--port', String(stage.program.ports.inbound), '--tls'],
        ...['--helo', `mx.${REPORTERS}`, '--from', '<>', '--to', sent.returnPath],
        ...['--data', `@${join(folder, 'bounce')}`],
      ]);
      rmSync(folder, { recursive: true });
      expect(stdout).toMatch(/<~ {2}250 2\.0\.0/);
      await tells(sent.id, 'email.delivered', 'email.bounced');
    });

    it('believes no altered token', async () => {
      const sent = await stage.delivered('forged@recipients.test');
      const forged = alter(sent.returnPath);
      await expect(stage.report(bounce({ ...sent, returnPath: forged }), forged)).rejects.toThrow(/550 5\.1\.1 /);
      await stays(sent);
    });
  });

  it('of a complaint makes an event, a webhook call and an entry of the list', async () => {
    const sent = await stage.delivered('annoyed@recipients.test');
    expect(await stage.report(complaint(sent), `fbl@${SERVICE}`, `feedback@${REPORTERS}`)).toMatch(/^250 /);
    await tells(sent.id, 'email.delivered', 'email.complained');
    expect(await stage.isSuppressed('annoyed@recipients.test')).toBe(true);
    await until(async () => hooked(sent.id).includes('email.complained'), { what: 'the webhook call' });
  });

  it('of an auto-reply makes nothing', async () => {
    const sent = await stage.delivered('away@recipients.test');
    const reply = goldenReportMail('vacation-gmail', sent);
    expect(await stage.report(reply, sent.returnPath, `away@${REPORTERS}`)).toMatch(/^250 /);
    await stays(sent);
  });

  it('refuses a message that runs in a circle', async () => {
    const hops = (count: number) =>
      `${Array.from({ length: count }, (_, i) => `Received: from mx${i}.example by mx.example; Tue, 10 Nov 2026 09:15:02 +0000\r\n`).join('')}Subject: around\r\n\r\nx\r\n`;
    await expect(stage.report(hops(101), `postmaster@${SERVICE}`)).rejects.toThrow(/554 5\.4\.6 /);
    expect(await stage.report(hops(99), `postmaster@${SERVICE}`)).toMatch(/^250 /);
  });

  it('puts off whoever sends too much, and nobody else', async () => {
    const socket = connect({ port: stage.program.ports.inbound, host: '127.0.0.1', localAddress: '127.0.0.77' });
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    socket.write(`EHLO mx.example\r\n${'MAIL FROM:<>\r\nRSET\r\n'.repeat(380)}QUIT\r\n`);
    await until(async () => /^221 /m.test(heard), { what: 'the end' });
    const answers = heard.split('\r\n').filter((line) => /^(?:250 2\.1\.0|451 4\.7\.1) /.test(line));
    expect(answers).toHaveLength(380);
    expect(answers.slice(0, 300).every((line) => line.startsWith('250'))).toBe(true);
    expect(answers.some((line) => line.startsWith('451'))).toBe(true);
    expect(await stage.report('Subject: from another\r\n\r\nx\r\n', 'postmaster')).toMatch(/^250 /);
  });

  it('refuses a message that is too large though it did not say so', async () => {
    const large = `Subject: large\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(17_000)}`;
    const socket = connect(stage.program.ports.inbound, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    socket.write(`EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\n${large}.\r\nQUIT\r\n`);
    await until(async () => /^221 /m.test(heard), { what: 'the end' });
    expect(heard).toMatch(/^552 5\.3\.4 /m);
  });

  describe('in conversation', () => {
    const dialogues = readDialogues(fileURLToPath(new URL('../dialogs/inbound', import.meta.url)));
    const performances = dialogues.flatMap((dialogue) =>
      dialogue.doors.map((door) => ({ name: `${dialogue.title} (${door})`, dialogue, door })),
    );
    const variable = (name: string): string | undefined => {
      const verp = aligned.returnPath.replace(CUSTOMER, SERVICE);
      const [word, number] = name.split(' ');
      const known: Record<string, string> = {
        service: SERVICE,
        'customer domain': CUSTOMER,
        customer: aligned.returnPath,
        verp,
        VERP: verp.toUpperCase(),
        local: verp.split('@')[0],
        forged: alter(verp),
        'forged local': alter(verp).split('@')[0],
        cut: verp.replace(/.@/, '@'),
        nobody64: Buffer.from('\0nobody\0nothing').toString('base64'),
      };
      return word === 'verp' && number ? verp.replace('@bounces.', `@bounces.n${number}.`) : known[name];
    };
    const theatre: Theatre = {
      postfix: false,
      port: () => stage.program.ports.inbound,
      variable,
      login: () => ['', ''],
      act: () => Promise.resolve(),
    };
    it.for(performances)('$name', ({ dialogue, door }) => play(dialogue, door, theatre));
  });

  it('takes one message for one, whatever ends are in it, in one segment or octet by octet', async () => {
    const messages = ENDS.flatMap((end, i) =>
      [false, true].map((bytewise) => ({ end, bytewise, name: `${i} ${bytewise}` })),
    );
    const answers = await Promise.all(
      messages.map(({ end, bytewise, name }) => smuggle(stage.program.ports.inbound, { end, bytewise, name })),
    );
    expect(answers.filter((taken) => taken !== 1)).toEqual([]);
    const subjects = (await stage.kept())
      .map(({ subject }) => subject ?? '')
      .filter((subject) => /^(?:outer|smug)/.test(subject));
    expect(subjects).toHaveLength(messages.length);
    expect(new Set(subjects)).toEqual(new Set(messages.map(({ name }) => `outer ${name}`)));
  });

  it('stands it when clients break off, in every phase', async () => {
    await Promise.all(
      BREAKS.flatMap((sent) => Array.from({ length: 10 }, () => breakOff(stage.program.ports.inbound, sent))),
    );
    expect(await stage.report('Subject: still here\r\n\r\nx\r\n', 'postmaster')).toMatch(/^250 /);
    expect((await stage.kept()).map(({ subject }) => subject)).not.toContain('broken off');
    expect((await fetch(`${stage.program.url}/readyz`)).status).toBe(200);
  });

  describe('of a domain with a return path of its own', () => {
    it('gets bounces there, where SPF is aligned with the sender', async () => {
      expect(aligned.returnPath).toMatch(/^b\+[a-z2-7]{40}@bounces\.shop\.customer\.example$/);
      expect(await stage.report(bounce(aligned), aligned.returnPath)).toMatch(/^250 /);
      await tells(aligned.id, 'email.delivered', 'email.bounced');
    });

    it.skipIf(!judgeWithPython)('pyspf passes our address for it, and fails another', async () => {
      // As the alias leads: the operator's record answers for the customer's name.
      const zone = {
        [`spf.${SERVICE}`]: [`v=spf1 ip4:${OUR_ADDRESS} -all`],
        [`bounces.${CUSTOMER}`]: [`v=spf1 include:spf.${SERVICE} -all`],
      };
      const of = (ip: string) => ({ ip, sender: aligned.returnPath, helo: `smtp.${SERVICE}` });
      const verdict = await judgeWithPython?.({ spf: [of(OUR_ADDRESS), of('198.51.100.7')], zone });
      expect(verdict?.spf).toEqual(['pass', 'fail']);
    });

    it('goes back to the service’s as soon as the alias is seen to be gone, and takes bounces at both', async () => {
      stage.dns.remove(`bounces.${CUSTOMER}`);
      await until(async () => (await stage.program.call('POST', `/domains/${domainId}/verify`)).status === 200, {
        everyMs: 500,
      });
      const without = await until(async () => {
        const to = `later${Math.random()}@recipients.test`;
        const sent = await stage.delivered(to, { from: `shop@${CUSTOMER}` });
        return sent.returnPath.endsWith(`@bounces.${SERVICE}`) ? sent : null;
      });
      const before = { ...without, returnPath: without.returnPath.replace(SERVICE, CUSTOMER) };
      expect(await stage.report(bounce(before), before.returnPath)).toMatch(/^250 /);
      await tells(without.id, 'email.delivered', 'email.bounced');
    });
  });

  it('and nothing was ever sent back', async () => {
    expect(stage.echo.sessions).toEqual([]);
    expect(stage.mx.mails.filter(({ mailFrom }) => !mailFrom.startsWith('b+'))).toEqual([]);
    expect(
      stage.mx.mails.filter(({ recipients }) => recipients.some((to) => !to.endsWith('@recipients.test'))),
    ).toEqual([]);
  });
});

/** Another token of the same form. */
const alter = (address: string): string => address.replace(/.(?=.{5}@)/, (digit) => (digit === 'a' ? 'b' : 'a'));

/** One message with `end` in it and a second one behind that; resolves with how many messages were taken. */
async function smuggle(port: number, { end, bytewise, name }: { end: string; bytewise: boolean; name: string }) {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  const says = (what: RegExp) =>
    until(async () => what.test(heard), { everyMs: 5, what: `${String(what)} in ${heard}` });
  await says(/^220 /);
  socket.write('EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\n');
  await says(/^354 /m);
  const inner = `MAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\nSubject: smuggled ${name}\r\n\r\ninner`;
  const octets = Buffer.from(`Subject: outer ${name}\r\n\r\nouter${end}${inner}\r\n.\r\nQUIT\r\n`, 'latin1');
  if (bytewise) await writeBytewise(socket, octets);
  else socket.write(octets);
  await says(/^221 /m);
  socket.destroy();
  return heard.split('\r\n').filter((line) => line.startsWith('250 2.0.0 ')).length;
}

async function writeBytewise(socket: Socket, octets: Buffer): Promise<void> {
  socket.setNoDelay(true);
  for (const octet of octets) {
    socket.write(Buffer.of(octet));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Resets the connection when `sent` is out and something was answered to it. */
function breakOff(port: number, sent: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from(sent, 'latin1'), () => setTimeout(() => socket.resetAndDestroy(), 30));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

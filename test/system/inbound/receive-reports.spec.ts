import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaintMessage } from '../../support/samples/complaint-samples.js';
import { goldenReportMail } from '../../support/samples/golden-reports.js';
import { ReportsFixture, type Delivered } from '../../support/inbound/reports-fixture.js';
import { judgeWithPython } from '../../support/judges/mail-judges.js';
import { play, type DialogueServer } from '../../support/smtp/smtp-player.js';
import { readDialogues } from '../../support/smtp/smtp-script.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const run = promisify(execFile);
const SERVICE = 'postloft.test';
const CUSTOMER = 'shop.receive-reports.example';
const RECIPIENTS = 'receive-reports.test';
const REPORTERS = 'reporters-of-received.test';
const OUR_ADDRESS = '203.0.113.25';
/** Sequences that some servers accept as the end of a message. */
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
/** What a client has sent before it resets the connection. */
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

/** Reports of other servers about sent mail, from the connection to the customer's webhook. */
describe('the inbound port', () => {
  let fixture: ReportsFixture;
  let hook: WebhookReceiver;
  /** Sent below the customer's own domain. */
  let aligned: Delivered;
  let domainId: string;

  beforeAll(async () => {
    hook = await WebhookReceiver.start();
    const slowly = { drip: '250 2.0.0 taken', everyMs: 150 };
    fixture = await ReportsFixture.open(
      { recipients: RECIPIENTS, reporters: REPORTERS, senders: [CUSTOMER] },
      { on: { dot: ({ accepted }) => (accepted.includes(`early@${RECIPIENTS}`) ? slowly : undefined) } },
    );
    const events = ['email.delivered', 'email.bounced', 'email.complained'];
    const made = await fixture.account.call('POST', '/webhooks', { url: hook.url('/hook'), events });
    if (made.status !== 201) throw new Error(await made.text());
    domainId = await fixture.verified(CUSTOMER);
    aligned = await fixture.delivered(`aligned@${RECIPIENTS}`, { from: `shop@${CUSTOMER}` });
  });
  afterAll(async () => {
    await fixture?.stop();
    await hook?.close();
  });

  /** Waits for these events that end a delivery, in order. */
  const tells = async (id: string, ...types: string[]) => {
    const told = async () =>
      (await fixture.events(id)).map(({ type }) => type).filter((type) => /delivered|bounced|complained/.test(type));
    await until(async () => (await told()).length >= types.length, { what: types.join(', ') });
    expect(await told()).toEqual(types);
  };
  const stays = async ({ id, recipient }: Delivered) => {
    expect(await fixture.read(id)).toMatchObject({ status: 'delivered', recipients: [{ status: 'delivered' }] });
    expect(await fixture.isSuppressed(recipient)).toBe(false);
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
      const sent = await fixture.delivered(`gone@${RECIPIENTS}`);
      expect(sent.returnPath).toMatch(/^b\+[a-z2-7]{40}@bounces\.postloft\.test$/);
      for (const reply of [
        await fixture.report(bounce(sent), sent.returnPath),
        await fixture.report(bounce(sent), sent.returnPath),
      ])
        expect(reply).toMatch(/^250 2\.\d\.\d /);
      await tells(sent.id, 'email.delivered', 'email.bounced');
      const bounced = (await fixture.events(sent.id)).find(({ type }) => type === 'email.bounced');
      expect(bounced?.data).toMatchObject({
        recipient: `gone@${RECIPIENTS}`,
        bounce_type: 'hard',
        bounce_class: 'invalid_recipient',
      });
      expect(await fixture.read(sent.id)).toMatchObject({ status: 'bounced', recipients: [{ status: 'bounced' }] });
      const explained = await fixture.account.call('GET', `/emails/${sent.id}/explain`);
      expect(((await explained.json()) as { recipients: { because: string }[] }).recipients[0].because).toMatch(
        /took it at 20[-0-9T:.]+Z, and it came back\. .*reported: 550 5\.1\.1 /,
      );
      expect(await fixture.isSuppressed(`gone@${RECIPIENTS}`)).toBe(true);
      await until(async () => hooked(sent.id).length >= 2, { what: 'the webhook calls' });
      expect(hooked(sent.id).toSorted()).toEqual(['email.bounced', 'email.delivered']);
    });

    it('that comes before the delivery is written down says that it shall come again, and then counts', async () => {
      const sent = await fixture.sent(`early@${RECIPIENTS}`);
      await expect(fixture.report(bounce(sent), sent.returnPath)).rejects.toThrow(/451 4\.\d\.\d /);
      await fixture.becomes(sent.id, 'delivered');
      expect(await fixture.report(bounce(sent), sent.returnPath)).toMatch(/^250 /);
      await tells(sent.id, 'email.delivered', 'email.bounced');
    });

    it('takes it from swaks', async ({ skip }) => {
      const found = await run('swaks', ['--version']).then(
        () => true,
        () => false,
      );
      if (!found && process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error('swaks is not installed');
      if (!found) skip('swaks is not installed');
      const sent = await fixture.delivered(`swaks@${RECIPIENTS}`);
      const folder = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
      writeFileSync(join(folder, 'bounce'), bounce(sent));
      const { stdout } = await run('swaks', [
        ...['--server', '127.0.0.1', '--port', String(fixture.account.ports.inbound), '--tls'],
        ...['--helo', `mx.${REPORTERS}`, '--from', '<>', '--to', sent.returnPath],
        ...['--data', `@${join(folder, 'bounce')}`],
      ]);
      rmSync(folder, { recursive: true });
      expect(stdout).toMatch(/<~ {2}250 2\.0\.0/);
      await tells(sent.id, 'email.delivered', 'email.bounced');
    });

    it('believes no altered token', async () => {
      const sent = await fixture.delivered(`forged@${RECIPIENTS}`);
      const forged = alter(sent.returnPath);
      await expect(fixture.report(bounce({ ...sent, returnPath: forged }), forged)).rejects.toThrow(/550 5\.1\.1 /);
      await stays(sent);
    });
  });

  it('of a complaint makes an event, a webhook call and an entry of the list', async () => {
    const sent = await fixture.delivered(`annoyed@${RECIPIENTS}`);
    expect(await fixture.report(complaint(sent), `fbl@${SERVICE}`, `feedback@${REPORTERS}`)).toMatch(/^250 /);
    await tells(sent.id, 'email.delivered', 'email.complained');
    expect(await fixture.isSuppressed(`annoyed@${RECIPIENTS}`)).toBe(true);
    await until(async () => hooked(sent.id).includes('email.complained'), { what: 'the webhook call' });
  });

  it('of an auto-reply makes nothing', async () => {
    const sent = await fixture.delivered(`away@${RECIPIENTS}`);
    const reply = goldenReportMail('vacation-gmail', sent);
    expect(await fixture.report(reply, sent.returnPath, `away@${REPORTERS}`)).toMatch(/^250 /);
    await stays(sent);
  });

  it('rejects a message in a mail loop', async () => {
    const hops = (count: number) =>
      `${Array.from({ length: count }, (_, i) => `Received: from mx${i}.example by mx.example; Tue, 10 Nov 2026 09:15:02 +0000\r\n`).join('')}Subject: around\r\n\r\nx\r\n`;
    await expect(fixture.report(hops(101), `postmaster@${SERVICE}`)).rejects.toThrow(/554 5\.4\.6 /);
    expect(await fixture.report(hops(99), `postmaster@${SERVICE}`)).toMatch(/^250 /);
  });

  it('defers a client that sends too much, and no other', async () => {
    const socket = connect({ port: fixture.account.ports.inbound, host: '127.0.0.1', localAddress: '127.0.0.77' });
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    socket.write(`EHLO mx.example\r\n${'MAIL FROM:<>\r\nRSET\r\n'.repeat(380)}QUIT\r\n`);
    await until(async () => /^221 /m.test(heard), { what: 'the end' });
    const answers = heard.split('\r\n').filter((line) => /^(?:250 2\.1\.0|451 4\.7\.1) /.test(line));
    expect(answers).toHaveLength(380);
    expect(answers.slice(0, 300).every((line) => line.startsWith('250'))).toBe(true);
    expect(answers.some((line) => line.startsWith('451'))).toBe(true);
    expect(await fixture.report('Subject: from another\r\n\r\nx\r\n', 'postmaster')).toMatch(/^250 /);
  });

  it('rejects a message that is too large without a declared size', async () => {
    const large = `Subject: large\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(17_000)}`;
    const socket = connect(fixture.account.ports.inbound, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    socket.write(`EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\n${large}.\r\nQUIT\r\n`);
    await until(async () => /^221 /m.test(heard), { what: 'the end' });
    expect(heard).toMatch(/^552 5\.3\.4 /m);
  });

  describe('dialogues', () => {
    const dialogues = readDialogues(fileURLToPath(new URL('../../dialogs/inbound', import.meta.url)));
    const cases = dialogues.flatMap((dialogue) =>
      dialogue.modes.map((mode) => ({ name: `${dialogue.title} (${mode})`, dialogue, mode })),
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
    const server: DialogueServer = {
      postfix: false,
      port: () => fixture.account.ports.inbound,
      variable,
      login: () => ['', ''],
      act: () => Promise.resolve(),
    };
    it.for(cases)('$name', ({ dialogue, mode }) => play(dialogue, mode, server));
  });

  it('accepts one message as one, whatever false ends it contains, in one segment or octet by octet', async () => {
    const messages = ENDS.flatMap((end, i) =>
      [false, true].map((bytewise) => ({ end, bytewise, name: `${i} ${bytewise}` })),
    );
    const answers = await Promise.all(
      messages.map(({ end, bytewise, name }) => smuggle(fixture.account.ports.inbound, { end, bytewise, name })),
    );
    expect(answers.filter((taken) => taken !== 1)).toEqual([]);
    const subjects = (await fixture.kept())
      .map(({ subject }) => subject ?? '')
      .filter((subject) => /^(?:outer|smug)/.test(subject));
    expect(subjects).toHaveLength(messages.length);
    expect(new Set(subjects)).toEqual(new Set(messages.map(({ name }) => `outer ${name}`)));
  });

  it('survives resets in every phase', async () => {
    await Promise.all(
      BREAKS.flatMap((sent) => Array.from({ length: 10 }, () => breakOff(fixture.account.ports.inbound, sent))),
    );
    expect(await fixture.report('Subject: still here\r\n\r\nx\r\n', 'postmaster')).toMatch(/^250 /);
    expect((await fixture.kept()).map(({ subject }) => subject)).not.toContain('broken off');
    expect((await fetch(`${fixture.account.url}/readyz`)).status).toBe(200);
  });

  describe('of a domain with a return path of its own', () => {
    it('receives bounces there, where SPF is aligned with the sender', async () => {
      expect(aligned.returnPath).toMatch(/^b\+[a-z2-7]{40}@bounces\.shop\.receive-reports\.example$/);
      expect(await fixture.report(bounce(aligned), aligned.returnPath)).toMatch(/^250 /);
      await tells(aligned.id, 'email.delivered', 'email.bounced');
    });

    it.skipIf(!judgeWithPython)('pyspf passes our address for it, and fails another', async () => {
      // The customer's alias leads to the operator's record.
      const zone = {
        [`spf.${SERVICE}`]: [`v=spf1 ip4:${OUR_ADDRESS} -all`],
        [`bounces.${CUSTOMER}`]: [`v=spf1 include:spf.${SERVICE} -all`],
      };
      const of = (ip: string) => ({ ip, sender: aligned.returnPath, helo: `smtp.${SERVICE}` });
      const verdict = await judgeWithPython?.({ spf: [of(OUR_ADDRESS), of('198.51.100.7')], zone });
      expect(verdict?.spf).toEqual(['pass', 'fail']);
    });

    it('falls back to that of the service once the alias is missing, and accepts bounces at both', async () => {
      fixture.dns.remove(`bounces.${CUSTOMER}`);
      await until(async () => (await fixture.account.call('POST', `/domains/${domainId}/verify`)).status === 200, {
        everyMs: 500,
      });
      const without = await until(async () => {
        const to = `later${Math.random()}@${RECIPIENTS}`;
        const sent = await fixture.delivered(to, { from: `shop@${CUSTOMER}` });
        return sent.returnPath.endsWith(`@bounces.${SERVICE}`) ? sent : null;
      });
      const before = { ...without, returnPath: without.returnPath.replace(SERVICE, CUSTOMER) };
      expect(await fixture.report(bounce(before), before.returnPath)).toMatch(/^250 /);
      await tells(without.id, 'email.delivered', 'email.bounced');
    });
  });

  it('sends nothing back', async () => {
    expect(fixture.echo.sessions).toEqual([]);
    expect(fixture.mx.mails.filter(({ mailFrom }) => !mailFrom.startsWith('b+'))).toEqual([]);
    expect(
      fixture.mx.mails.filter(({ recipients }) => recipients.some((to) => !to.endsWith(`@${RECIPIENTS}`))),
    ).toEqual([]);
  });
});

/** A different token of the same form. */
const alter = (address: string): string => address.replace(/.(?=.{5}@)/, (digit) => (digit === 'a' ? 'b' : 'a'));

/** Sends a message that contains `end` and a second message; resolves with the number of accepted messages. */
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

/** Resets the connection shortly after `sent` was written. */
function breakOff(port: number, sent: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from(sent, 'latin1'), () => setTimeout(() => socket.resetAndDestroy(), 30));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

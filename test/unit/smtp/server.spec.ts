import { connect, type Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionLimiter } from '#libs/kernel';
import type { Deadlines } from '#apps/smtp/src/server/smtp-deadlines';
import { SmtpServer } from '#apps/smtp/src/server/server';
import { MessageMemory } from '#apps/smtp/src/server/message-memory';
import { SUPPRESSED_RECIPIENT } from '#apps/smtp/src/server/replies';
import { SmtpReply } from '#apps/smtp/src/server/smtp-reply';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

/** A hundredth of the real ones, in ms. */
const DEADLINES: Deadlines = {
  login: 600,
  handshake: 300,
  line: 300,
  dataWindow: 300,
  dataRate: 1_000,
  unread: 300,
  oversize: 100,
  silence: 1_500,
};
const HOUR_MS = 3_600_000;
const WALK_MS = 20;
const LIMIT = 100_000;
const LOGIN = `AUTH PLAIN ${Buffer.from('\0a@b.example\0key').toString('base64')}\r\n`;
const TO_DATA = 'EHLO me\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n';

/** These deadlines and no other: a client that another one should end stays until the test times out. */
function only(...names: (keyof Deadlines)[]): Deadlines {
  const deadlines = Object.keys(DEADLINES) as (keyof Deadlines)[];
  return Object.fromEntries(
    deadlines.map((name) => [name, names.includes(name) ? DEADLINES[name] : HOUR_MS]),
  ) as unknown as Deadlines;
}

const certificate = selfSignedCertificate('smtp.test');

describe('SmtpServer', () => {
  const open: SmtpServer[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(open.splice(0).map((server) => server.stop()));
  });

  async function start(
    options: SMTPServerOptions = {},
    { counts = new ConnectionLimiter({ perNetwork: 100 }), deadlines = DEADLINES } = {},
  ): Promise<number> {
    const memory = new MessageMemory(1_000_000);
    const server = new SmtpServer(
      {
        ...certificate,
        size: LIMIT,
        logger: false,
        disableReverseLookup: true,
        hideENHANCEDSTATUSCODES: false,
        closeTimeout: 1_000,
        onAuth: (_auth, _session, done) => done(null, { user: 'somebody' }),
        onData: (stream, _session, done) =>
          void memory.receive(stream, { limit: LIMIT }).then(
            () => done(),
            (error: Error) => done(error),
          ),
        ...options,
      },
      { deadlines, connections: counts, checkEveryMs: WALK_MS },
    );
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.server.address() as { port: number }).port;
  }

  /** What was read until the connection ended. */
  function plain(port: number, allowHalfOpen = false) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
    sockets.push(socket);
    return follow(socket);
  }
  function secure(port: number) {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    sockets.push(socket);
    return follow(socket);
  }

  it.each<[phase: string, act: (socket: Socket) => void]>([
    ['says nothing', () => undefined],
    ['says one command after another', (socket) => drip(socket, 'NOOP\r\n', 150)],
    ['begins a command', (socket) => drip(socket, 'E', 50)],
    ['asks for TLS and says nothing', (socket) => socket.write('EHLO me\r\nSTARTTLS\r\n')],
    [
      'asks for TLS and drips a greeting of TLS',
      (socket) => {
        socket.write('STARTTLS\r\n');
        setTimeout(() => drip(socket, '\x16', 50), 100);
      },
    ],
  ])('ends, in clear, a client that %s', async (_phase, act) => {
    const client = plain(await start({}, { deadlines: only('login', 'handshake') }));
    act(client.socket);
    await client.ended;
    expect(client.socket.destroyed).toBe(true);
  });

  it.each<[phase: string, bytes: string]>([
    ['says nothing', ''],
    ['drips its greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('ends a client at the port with TLS that %s', async (_phase, bytes) => {
    const client = plain(await start({ secure: true }, { deadlines: only('handshake') }));
    if (bytes !== '') drip(client.socket, bytes[0], 30);
    expect(await client.ended).toBe('');
  });

  it.each<[phase: string, says: string, deadline: keyof Deadlines, reply: RegExp]>([
    ['has its login asked for', 'EHLO me\r\nAUTH LOGIN\r\n', 'login', /^421 4\.4\.2 No login in time/m],
    ['has half its login asked for', 'EHLO me\r\nAUTH LOGIN\r\nYUBi\r\n', 'login', /^421 4\.4\.2 No login in time/m],
    ['is logged in and begins a command', `EHLO me\r\n${LOGIN}MAI`, 'line', /^421 4\.4\.2 The command does not end/m],
  ])('ends a client that %s and says no more', async (_phase, says, deadline, reply) => {
    const client = secure(await start({ secure: true }, { deadlines: only(deadline) }));
    client.socket.write(says);
    expect(await client.ended).toMatch(reply);
  });

  it('ends data that come too slowly, and not those that come fast enough', async () => {
    const port = await start({ secure: true });
    const [slow, fast] = [secure(port), secure(port)];
    for (const { socket } of [slow, fast]) socket.write(`EHLO me\r\n${LOGIN}${TO_DATA}`);
    drip(slow.socket, 'x', 30);
    drip(fast.socket, 'x'.repeat(500), 30);
    expect(await slow.ended).toMatch(/^421 4\.4\.2 The message comes too slowly/m);
    expect(fast.text()).not.toMatch(/^421/m);
    fast.socket.write('\r\n.\r\n');
    await fast.received(/^250 2\.6\.0 /m);
  });

  it('leaves a logged-in client alone that only waits', async () => {
    const client = secure(await start({ secure: true }));
    client.socket.write(`EHLO me\r\n${LOGIN}`);
    await later(DEADLINES.login! + 300);
    client.socket.write('NOOP\r\n');
    await client.received(/^250 2\.0\.0 OK\r\n$/m);
  });

  it('ends a logged-in client that says nothing any more, and tells it why', async () => {
    const client = secure(await start({ secure: true }, { deadlines: only('silence') }));
    client.socket.write(`EHLO me\r\n${LOGIN}`);
    expect(await client.ended).toMatch(/^421 4\.4\.2 Timeout, closing the connection\r\n$/m);
  });

  it('ends a client that sends commands for ever and reads no reply', async () => {
    const client = secure(await start({ secure: true }, { deadlines: only('unread') }));
    client.socket.write(`EHLO me\r\n${LOGIN}`);
    await client.received(/^235 /m);
    client.socket.pause();
    drip(client.socket, 'HELP\r\n'.repeat(10_000), 1);
    expect(await client.ended).toMatch(/^235 /m);
  });

  it('tells 552 and ends a message that goes on beyond the limit; one that ends soon is only refused', async () => {
    const port = await start({ secure: true }, { deadlines: only('oversize') });
    const [endless, large] = [secure(port), secure(port)];
    for (const { socket } of [endless, large]) socket.write(`EHLO me\r\n${LOGIN}${TO_DATA}`);
    drip(endless.socket, 'x'.repeat(10_000), 1);
    large.socket.write(`${'x'.repeat(LIMIT + 1)}\r\n.\r\nNOOP\r\n`);
    expect(await endless.ended).toMatch(/^552 5\.3\.4 /m);
    expect(large.text()).toMatch(/^552 5\.3\.4 .*\r\n250 2\.0\.0 OK\r\n$/m);
  });

  it('ends a session with a hundred errors', async () => {
    const client = secure(await start({ secure: true }));
    client.socket.write(`EHLO me\r\n${LOGIN}${'RCPT TO:<a@b.example>\r\n'.repeat(150)}`);
    const text = await client.ended;
    expect(text.match(/^503 /gm)).toHaveLength(100);
    expect(text).toMatch(/^421 4\.7\.0 Too many errors\r\n$/m);
  });

  it('blames no client for its own trouble: a session of a thousand 451 4.3.0 goes on', async () => {
    const away = new SmtpReply(451, '4.3.0 The mail could not be stored. Try again later');
    const client = secure(await start({ secure: true, onMailFrom: (_from, _session, done) => done(away) }));
    client.socket.write(`EHLO me\r\n${LOGIN}${'MAIL FROM:<a@b.example>\r\n'.repeat(1_000)}QUIT\r\n`);
    const text = await client.ended;
    expect(text.match(/^451 4\.3\.0 /gm)).toHaveLength(1_000);
    expect(text).toMatch(/^221 2\.0\.0 .*\r\n$/m);
  });

  it('blames no client for a long list of recipients, or for suppressed ones: the others get their mail', async () => {
    const listed = new SmtpReply(550, `${SUPPRESSED_RECIPIENT} (bounce)`);
    const port = await start({
      secure: true,
      maxRecipients: 100,
      onRcptTo: ({ address }, _session, done) => done(address.startsWith('gone') ? listed : null),
    });
    const named = (who: string, count: number) =>
      Array.from({ length: count }, (_, i) => `RCPT TO:<${who}${i}@d.example>\r\n`).join('');
    const client = secure(port);
    client.socket.write(
      `EHLO me\r\n${LOGIN}MAIL FROM:<a@b.example>\r\n${named('gone', 200)}${named('here', 300)}DATA\r\n`,
    );
    await client.received(/^354 /m);
    expect(client.text().match(/^550 5\.7\.1 /gm)).toHaveLength(200);
    expect(client.text().match(/^452 4\.5\.3 /gm)).toHaveLength(200);
    client.socket.write('text\r\n.\r\nQUIT\r\n');
    expect(await client.ended).toMatch(/^250 2\.6\.0 .*\r\n221 /m);
  });

  it('ends a session that goes on naming suppressed recipients, and one that asks for a hundred others', async () => {
    const refusing = (text: string) =>
      start({ secure: true, onRcptTo: (_to, _session, done) => done(new SmtpReply(550, text)) });
    const guess = async (port: number): Promise<string> => {
      const client = secure(port);
      const names = 'RCPT TO:<c@d.example>\r\n'.repeat(2_500);
      client.socket.write(`EHLO me\r\n${LOGIN}MAIL FROM:<a@b.example>\r\n${names}`);
      return client.ended;
    };
    const listed = await guess(await refusing(SUPPRESSED_RECIPIENT));
    expect(listed.match(/^550 /gm)?.length).toBeLessThan(2_000);
    expect(listed).toMatch(/^421 4\.7\.0 Too many commands without a mail\r\n$/m);
    const unknown = await guess(await refusing('5.1.1 There is no such mailbox here'));
    expect(unknown.match(/^550 /gm)).toHaveLength(100);
    expect(unknown).toMatch(/^421 4\.7\.0 Too many errors\r\n$/m);
  });

  it('gives the domain of an address as it was written, in A-labels too', async () => {
    const seen: string[] = [];
    const keep = ({ address }: { address: string }, _session: unknown, done: () => void) => {
      seen.push(address);
      done();
    };
    const client = secure(await start({ secure: true, onMailFrom: keep, onRcptTo: keep }));
    const named = ['<a@xn--bcher-kva.example> SIZE=1', '<Ada@XN--mgba3gch31f060k.com>', '<@hop.example:b@d.example>'];
    client.socket.write(
      `EHLO me\r\n${LOGIN}MAIL FROM:${named[0]}\r\nRCPT TO:${named[1]}\r\nRCPT TO:${named[2]}\r\nQUIT\r\n`,
    );
    await client.ended;
    expect(seen).toEqual(['a@xn--bcher-kva.example', 'Ada@XN--mgba3gch31f060k.com', 'b@d.example']);
  });

  it.each<[charset: string, name: number[]]>([
    ['ISO 8859-1: PC-MÜLLER', [0x50, 0x43, 0x2d, 0x4d, 0xdc, 0x4c, 0x4c, 0x45, 0x52]],
    ['ISO 8859-1 with a no-break space', [0x50, 0x43, 0xa0, 0x31]],
    ['Windows-1251', [0xcf, 0xca, 0x2d, 0xc8, 0xe2, 0xe0, 0xed]],
    ['GBK', [0xd0, 0xa1, 0xc3, 0xf7, 0x2d, 0x50, 0x43]],
    ['GBK that is valid UTF-8 with a control character', [0xc2, 0x85, 0x50, 0x43]],
    ['Shift_JIS', [0x83, 0x5c, 0x83, 0x7c, 0x2d, 0x93, 0xfa, 0x96, 0x7b]],
    ['EUC-KR', [0xc7, 0xd1, 0xb1, 0xdb]],
    ['UTF-8', [...Buffer.from('пк-иван')]],
    ['a private-use byte alone', [0xff]],
  ])('takes a machine name in %s after EHLO and HELO, in one piece or two', async (charset, name) => {
    const names: unknown[] = [];
    const onMailFrom: SMTPServerOptions['onMailFrom'] = (_address, session, done) => {
      names.push(session.hostNameAppearsAs);
      done();
    };
    const port = await start({ authOptional: true, onMailFrom });
    for (const [command, pieces] of [
      ['EHLO', 1],
      ['helo', 2],
    ] as const) {
      const client = SmtpTalk.open(port);
      await client.reply();
      const line = Buffer.from([...Buffer.from(`${command} `), ...name, 0x0d, 0x0a]);
      client.write(line.subarray(0, pieces === 1 ? line.length : 6));
      if (pieces === 2) {
        await later(20);
        client.write(line.subarray(6));
      }
      expect((await client.reply())[0]).toMatch(/^250/);
      expect(await client.say('MAIL FROM:<a@b.example>')).toMatch(/^250/);
      client.close();
    }
    expect(names).toHaveLength(2);
    // In logs and stored reports: ASCII, or UTF-8 without invisible characters.
    for (const known of names) expect(known).toMatch(charset === 'UTF-8' ? /^пк-иван$/ : /^[!-~]+$/);
  });

  it('refuses control characters in a machine name, and other commands in another charset', async () => {
    const port = await start({ authOptional: true });
    const client = SmtpTalk.open(port);
    await client.reply();
    for (const octets of [[0x01], [0xdc, 0x00], [0x1b, 0xdc], [0x7f, 0xdc]]) {
      client.write(Buffer.from([...Buffer.from('EHLO a'), ...octets, 0x0d, 0x0a]));
      expect((await client.reply())[0]).toBe('500 5.5.2 The line is not text');
    }
    client.write(Buffer.from('MAIL FROM:<m\xfcller@b.example>\r\n', 'latin1'));
    expect((await client.reply())[0]).toBe('500 5.5.2 The line is not text');
    client.write(Buffer.from('EHLOX \xfc\r\n', 'latin1'));
    expect((await client.reply())[0]).toMatch(/^500/);
    client.close();
  });

  it('forgets what a refused MAIL had asked for', async () => {
    const replies = [new SmtpReply(451, '4.7.0 Too fast')];
    const options: SMTPServerOptions = { onMailFrom: (_from, _session, done) => done(replies.pop() ?? null) };
    const client = secure(await start({ secure: true, ...options }));
    const mail = ['MAIL FROM:<a@b.example> SMTPUTF8', 'MAIL FROM:<a@b.example>', 'RCPT TO:<jörg@d.example>', 'QUIT'];
    client.socket.write(`EHLO me\r\n${LOGIN}${mail.join('\r\n')}\r\n`);
    expect(await client.ended).toMatch(/^451 4\.7\.0 .*\r\n250 2\.1\.0 .*\r\n553 5\.6\.7 /m);
  });

  it('answers 421 beyond the share of an address, cuts beyond twice that, and counts handshakes too', async () => {
    const port = await start({}, { counts: new ConnectionLimiter({ perNetwork: 2 }) });
    const clients = [];
    for (let i = 0; i < 6; i++) {
      clients.push(plain(port, true));
      await later(10);
    }
    await later(50);
    expect(clients.map((client) => client.text().slice(0, 3))).toEqual(['220', '220', '421', '421', '', '']);
    for (const client of clients) client.socket.destroy();
    await later(50);
    await plain(port).received(/^220 /);

    const tlsPort = await start({ secure: true }, { counts: new ConnectionLimiter({ perNetwork: 1 }) });
    plain(tlsPort);
    await later(50);
    expect(await secure(tlsPort).ended).toMatch(/^421 4\.7\.0 /);
  });

  it('counts a connection once, whatever becomes of it', async () => {
    const counts = new ConnectionLimiter({ perNetwork: 1 });
    const port = await start({}, { counts });
    for (let i = 0; i < 10; i++) {
      const client = plain(port);
      await later(10);
      client.socket.write('EHLO me\r\nSTARTTLS\r\n');
      await later(10);
      client.socket.resetAndDestroy();
      await later(20);
    }
    expect(counts.admit('127.0.0.1')).toBe('serve');
  });

  it('stops at once when its clients only wait, and lets a message that is coming in come', async () => {
    const stored: string[] = [];
    const port = await start({
      secure: true,
      onData: (stream, _session, done) => {
        stream.on('data', (chunk: Buffer) => stored.push(chunk.toString()));
        stream.on('end', () => done());
      },
    });
    const [idle, busy] = [secure(port), secure(port)];
    for (const { socket } of [idle, busy]) socket.write(`EHLO me\r\n${LOGIN}`);
    busy.socket.write(TO_DATA);
    // During a handshake no reply can be sent.
    await Promise.all([idle.received(/^235 /m), busy.received(/^354 /m)]);
    const stopping = open[0].stop();
    expect(await idle.ended).toMatch(/^421 4\.3\.2 /m);
    busy.socket.write('all of it\r\n.\r\n');
    expect(await busy.ended).toMatch(/^250 2\.6\.0 .*\r\n421 4\.3\.2 /m);
    expect(stored.join('')).toBe('all of it\r\n');
    await stopping;
  });
});

function follow(socket: Socket) {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => (text += piece));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const received = (pattern: RegExp) =>
    until(async () => pattern.test(text), { what: `a reply that matches ${pattern}`, everyMs: 10 });
  return { socket, ended, received, text: () => text };
}

/** Writes the piece again and again until the connection ends. */
function drip(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

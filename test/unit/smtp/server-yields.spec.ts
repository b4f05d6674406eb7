import { connect, Socket, type AddressInfo } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionLimiter } from '#libs/kernel';
import { SmtpServer } from '#apps/smtp/src/server/server';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';
import { until } from '../../support/timing/until.js';

const HOUR = 3_600_000;
const DEADLINES = {
  handshake: HOUR,
  line: HOUR,
  dataWindow: HOUR,
  dataRate: 1,
  unread: HOUR,
  oversize: HOUR,
  silence: HOUR,
};

const certificate = selfSignedCertificate('smtp.test');

describe('the event-loop turns of an SMTP listener', () => {
  let turn = 0;
  let counting: NodeJS.Immediate;
  let server: SmtpServer;
  beforeEach(() => {
    const count = () => {
      turn += 1;
      counting = setImmediate(count);
    };
    count();
    server = open();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.stop();
    clearImmediate(counting);
  });

  it('begin one TLS handshake each, and not those of clients that are gone by then', async () => {
    const begun: [client: number, turn: number][] = [];
    const clients = Array.from({ length: 6 }, () => new Socket());
    vi.spyOn(SMTPServer.prototype, '_upgrade').mockImplementation((socket) => {
      begun.push([clients.indexOf(socket), turn]);
    });
    const refused: (string | undefined)[] = [];
    for (const client of clients) server._upgrade(client, (error) => refused.push(error?.message));
    clients[3].destroy(new Error('read ECONNRESET'));
    await soon(() => begun.length + refused.length === clients.length, 'all handshakes');
    expect(begun.map(([client]) => client)).toEqual([0, 1, 2, 4, 5]);
    expect(new Set(begun.map(([, at]) => at)).size).toBe(5);
    expect(refused).toEqual(['The connection was cut before its TLS handshake']);
  });

  it('begin one handshake each of clients that ask for it by STARTTLS', async () => {
    const begun: number[] = [];
    vi.spyOn(SMTPConnection.prototype, 'handler_STARTTLS').mockImplementation((_command, next) => {
      begun.push(turn);
      next();
    });
    const port = await listen();
    const clients = await Promise.all(Array.from({ length: 5 }, () => greeted(port)));
    for (const client of clients) client.write('STARTTLS\r\n');
    await soon(() => begun.length === clients.length, 'all handshakes');
    expect(new Set(begun).size).toBe(clients.length);
    for (const client of clients) client.destroy();
  });

  it('allow one command of a noisy client, and for all of the others', async () => {
    const taken: { from: number | undefined; command: string; turn: number }[] = [];
    const onCommand = SMTPConnection.prototype._onCommand;
    vi.spyOn(SMTPConnection.prototype, '_onCommand').mockImplementation(function (this: SMTPConnection, line, next) {
      taken.push({ from: this.remotePort, command: line.toString(), turn });
      onCommand.call(this, line, next);
    });
    const port = await listen();
    const noisy = await Promise.all([greeted(port), greeted(port), greeted(port)]);
    const quiet = await greeted(port);
    for (const client of noisy) client.write('RCPT to nobody\r\n'.repeat(3));
    await soon(() => taken.filter(({ command }) => command === 'RCPT to nobody').length === 9, 'the noise');
    taken.length = 0;
    for (const client of [...noisy, quiet]) client.write('NOOP\r\n'.repeat(40));
    await soon(() => taken.length === 160, 'all commands');
    const ofQuiet = taken.filter(({ from }) => from === quiet.localPort);
    const ofNoisy = taken.filter(({ from }) => from !== quiet.localPort);
    expect(new Set(ofNoisy.map((command) => command.turn)).size).toBe(120);
    expect(new Set(ofQuiet.map((command) => command.turn)).size).toBeLessThan(20);
    // In turn: the last command of one does not wait for all of another.
    const lastOf = noisy.map((client) => ofNoisy.findLastIndex(({ from }) => from === client.localPort));
    expect(Math.min(...lastOf)).toBeGreaterThan(110);
    for (const client of [...noisy, quiet]) client.destroy();
  });

  it('end four of the clients that are late at once', async () => {
    await server.stop();
    server = open({ silence: 300 });
    const ended: number[] = [];
    const send = SMTPConnection.prototype.send;
    vi.spyOn(SMTPConnection.prototype, 'send').mockImplementation(function (this: SMTPConnection, code, ...what) {
      if (code === 421) ended.push(turn);
      send.call(this, code, ...what);
    });
    const port = await listen();
    const clients = await Promise.all(Array.from({ length: 60 }, () => greeted(port)));
    const closed = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
    await Promise.all(closed);
    expect(ended).toHaveLength(60);
    const inOneTurn = [...new Set(ended)].map((at) => ended.filter((other) => other === at).length);
    expect(Math.max(...inOneTurn)).toBe(4);
  });

  function open(deadlines = {}): SmtpServer {
    return new SmtpServer(
      { ...certificate, authOptional: true, disableReverseLookup: true, hideENHANCEDSTATUSCODES: false },
      {
        deadlines: { ...DEADLINES, ...deadlines },
        connections: new ConnectionLimiter({ perNetwork: 100 }),
        checkEveryMs: 50,
      },
    );
  }

  async function listen(): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.server.address() as AddressInfo).port;
  }
});

const soon = (there: () => boolean, what: string) => until(() => Promise.resolve(there()), { what, everyMs: 5 });

/** A client that has read the banner, and reads on. */
async function greeted(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resume();
  await later(10);
  return socket;
}

import { Socket, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { SmtpTalk } from '../../../../test/support/smtp/smtp-talk.mjs';
import { until } from '../../../../test/support/timing/until.js';
import {
  BaseConnection,
  BaseServer,
  type CommandHandler,
  type ConnectionOptions,
  type ParsedPath,
} from './smtp-server-internals.js';

const certificate = selfSignedCertificate('smtp.test');

class TestConnection extends BaseConnection {
  greetings = 0;
  readonly plainSockets: Socket[] = [];
  readonly lines: string[] = [];
  readonly sent: [code: number, context: unknown][] = [];
  readonly plainListener = () => undefined;
  /** The next line ends a login. */
  endsLogin = false;

  constructor(
    private readonly testServer: TestServer,
    socket: Socket,
    readonly accepted: Socket,
    options: ConnectionOptions,
  ) {
    super(testServer, socket, options);
    socket.on('close', this.plainListener);
  }

  protected override greet(sendGreeting: () => void): void {
    this.greetings += 1;
    sendGreeting();
  }
  protected override commandReceived(line: Buffer, next: () => void): void {
    this.lines.push(line.toString());
    if (this.endsLogin) {
      this.endLogin();
      this.send(501, 'no more', false);
      return next();
    }
    this.runCommand(line, next);
  }
  protected override handlerFor(name: string, handler: CommandHandler | undefined): CommandHandler | undefined {
    if (name === 'HELP') return undefined;
    if (name !== 'ETRN') return handler;
    return (_, next) => {
      this.send(502, 'replaced', false);
      next();
    };
  }
  protected override parsePath(line: string, parse: (line: string) => ParsedPath): ParsedPath {
    const parsed = parse(line);
    this.testServer.parsed.push(parsed);
    return parsed && { ...parsed, address: `${parsed.address}.changed` };
  }
  protected override beforeTlsHandshake(): Promise<void> {
    return this.testServer.handshakes;
  }
  protected override listenersRemoved(plain: Socket): void {
    this.plainSockets.push(plain);
  }
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    this.sent.push([code, context]);
    super.send(code, data, context);
  }
  override destroySocket(): void {
    super.destroySocket();
  }
}

class TestServer extends BaseServer<TestConnection> {
  readonly created: TestConnection[] = [];
  readonly admitted: Socket[] = [];
  readonly parsed: ParsedPath[] = [];
  refusing = false;
  handshakes: Promise<void> = Promise.resolve();

  protected override admit(socket: Socket): boolean {
    this.admitted.push(socket);
    return !this.refusing;
  }
  protected override beforeTlsHandshake(): Promise<void> {
    return this.handshakes;
  }
  protected override createConnection(socket: Socket, accepted: Socket, options: ConnectionOptions): TestConnection {
    const connection = new TestConnection(this, socket, accepted, options);
    this.created.push(connection);
    return connection;
  }
  waiting = (): Socket[] => [...this.socketsBeforeTls()];
  drop = (socket: Socket): void => this.destroyBeforeTls(socket);
  open = (): TestConnection[] => [...this.openConnections()];
}

describe('the behaviour of smtp-server that is relied on', () => {
  const servers: TestServer[] = [];
  const clients: SmtpTalk[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    for (const server of servers.splice(0)) {
      for (const connection of server.open()) connection.destroySocket();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  async function start(options: SMTPServerOptions = {}) {
    const server = new TestServer({
      ...certificate,
      logger: false,
      disableReverseLookup: true,
      authOptional: true,
      onAuth: (_auth, _session, done) => done(null, { user: 'somebody' }),
      onData: (stream, _session, done) => stream.resume().once('end', () => done()),
      ...options,
    });
    server.on('error', () => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const connect = (): SmtpTalk => {
      const client = SmtpTalk.open(port);
      clients.push(client);
      return client;
    };
    /** With its connection here, after EHLO. */
    const session = async (): Promise<[SmtpTalk, TestConnection]> => {
      const client = connect();
      if (options.secure) await client.secure();
      await client.reply();
      await client.say('EHLO me');
      return [client, server.created.at(-1) as TestConnection];
    };
    return { server, connect, session };
  }
  const soon = (ask: () => unknown) => until(() => Promise.resolve(Boolean(ask())), { everyMs: 5 });

  it('greets once and at once, though the library has a timer for it', async () => {
    const { session } = await start();
    const [client, connection] = await session();
    await sleep(150);
    expect(connection.greetings).toBe(1);
    expect(client.pending).toBe('');
    expect(await client.say('NOOP')).toMatch(/^250 /);
  });

  it('destroys a socket that is not admitted, and makes no connection of it', async () => {
    const { server, connect } = await start();
    server.refusing = true;
    const client = connect();
    await client.end();
    expect(client.pending).toBe('');
    expect(server.admitted).toHaveLength(1);
    expect(server.created).toHaveLength(0);
  });

  it('knows sockets before implicit TLS, begins the handshake on permission, and names the accepted socket', async () => {
    const { server, connect } = await start({ secure: true });
    let permit = (): void => undefined;
    server.handshakes = new Promise((resolve) => (permit = resolve));
    const client = connect();
    const secured = client.secure();
    await soon(() => server.admitted.length === 1);
    await sleep(20);
    expect(server.waiting()).toEqual(server.admitted);
    expect(server.created).toEqual([]);
    permit();
    await secured;
    expect((await client.reply())[0]).toMatch(/^220 /);
    expect(server.waiting()).toEqual([]);
    expect(server.created[0].accepted).toBe(server.admitted[0]);
    expect(server.created[0].secure).toBe(true);
    expect(server.open()).toEqual(server.created);
  });

  it('can destroy a socket within an implicit TLS handshake, and before it', async () => {
    const { server, connect } = await start({ secure: true });
    const within = connect();
    await soon(() => server.waiting().length === 1);
    await sleep(20);
    server.drop(server.admitted[0]);
    await within.end();
    server.handshakes = new Promise(() => undefined);
    const before = connect();
    await soon(() => server.admitted.length === 2);
    server.drop(server.admitted[1]);
    await before.end();
    await soon(() => server.waiting().length === 0);
    expect(server.created).toEqual([]);
  });

  it('removes the listeners of the plain socket at STARTTLS, whose handshake shows in the state', async () => {
    const { server, session } = await start();
    const [client, connection] = await session();
    let permit = (): void => undefined;
    server.handshakes = new Promise((resolve) => (permit = resolve));
    client.write('STARTTLS\r\n');
    await soon(() => connection.lines.includes('STARTTLS'));
    expect(connection.state().inTlsHandshake).toBe(false);
    permit();
    expect((await client.reply())[0]).toMatch(/^220 /);
    expect(connection.state().inTlsHandshake).toBe(true);
    expect(connection.plainSockets).toEqual(server.admitted);
    expect(server.admitted[0].listeners('close')).not.toContain(connection.plainListener);
    await client.secure();
    expect(await client.say('EHLO me')).toMatch(/^250-/);
    expect(connection.state().inTlsHandshake).toBe(false);
    expect(connection.lines.at(-1)).toBe('EHLO me');
  });

  it('can destroy the TLS socket within the handshake of a STARTTLS', async () => {
    const { session } = await start();
    const [client, connection] = await session();
    await client.say('STARTTLS');
    const outer: unknown = Reflect.get(connection, 'outerSocket');
    expect(outer).toBeInstanceOf(TLSSocket);
    connection.destroySocket();
    // Without the workaround this call ends a process of Node.js 20.
    expect((outer as TLSSocket).getProtocol()).toBeNull();
    await client.end();
    await soon(() => !connection.isOpen);
  });

  it.each([false, true])('has no timer on a socket (implicit TLS: %s)', async (secure) => {
    const { server, session } = await start({ secure });
    const [, connection] = await session();
    const socket: unknown = Reflect.get(connection, '_socket');
    expect(socket instanceof Socket && (socket.timeout ?? 0)).toBe(0);
    expect(server.admitted[0].timeout ?? 0).toBe(0);
  });

  it('shows a login line by line, and leaves it on demand', async () => {
    const { session } = await start({ secure: true });
    const [client, connection] = await session();
    expect(connection.isInLogin).toBe(false);
    expect(await client.say('AUTH LOGIN')).toMatch(/^334 /);
    expect(connection.isInLogin).toBe(true);
    connection.endsLogin = true;
    await client.say('YQ==');
    expect(connection.isInLogin).toBe(false);
    connection.endsLogin = false;
    expect(connection.state().loggedIn).toBe(false);
    await client.say('AUTH LOGIN');
    await client.say('YQ==');
    expect(await client.say('YQ==')).toMatch(/^235 /);
    expect(connection.state().loggedIn).toBe(true);
    expect(connection.lines.slice(-3)).toEqual(['AUTH LOGIN', 'YQ==', 'YQ==']);
  });

  it('uses the handlers that it is given', async () => {
    const { session } = await start({ disabledCommands: ['AUTH'] });
    const [client, connection] = await session();
    expect(await client.say('ETRN x')).toBe('502 replaced');
    expect(await client.say('HELP')).toMatch(/^500 /);
    expect(await client.say('noop')).toMatch(/^250 /);
    expect(connection.isCommandDisabled('AUTH')).toBe(true);
    expect(connection.isCommandSupported('AUTH')).toBe(false);
    expect(connection.isCommandSupported('HELP')).toBe(false);
    expect(connection.isCommandSupported('MAIL')).toBe(true);
  });

  it('parses paths where it can be corrected: it decodes A-labels', async () => {
    const paths: string[] = [];
    const { server, session } = await start({
      onMailFrom: ({ address }, _session, done) => {
        paths.push(address);
        done();
      },
    });
    const [client] = await session();
    await client.say('MAIL FROM:<a@xn--bcher-kva.example> SIZE=7');
    expect(server.parsed).toEqual([{ address: 'a@bücher.example', args: { SIZE: '7' } }]);
    expect(paths).toEqual(['a@bücher.example.changed']);
    await client.say('RSET');
    expect(await client.say('MAIL FROM:a')).toMatch(/^501 /);
    expect(server.parsed.at(-1)).toBe(false);
  });

  it('forgets the parameters of a refused MAIL, and keeps the login', async () => {
    let refuse = true;
    const { session } = await start({
      secure: true,
      onMailFrom: (_from, _session, done) => done(refuse ? new Error('not now') : null),
    });
    const [client, connection] = await session();
    await client.say('AUTH PLAIN AGEAYg==');
    await client.say('MAIL FROM:<a@b.example> SMTPUTF8');
    refuse = false;
    await client.say('MAIL FROM:<a@b.example>');
    expect(connection.session.envelope.smtpUtf8).toBe(false);
    expect(connection.session.user).toBe('somebody');
  });

  it('shows the state of lines and commands', async () => {
    let finish = (): void => undefined;
    const { session } = await start({ onMailFrom: (_from, _session, done) => (finish = done) });
    const [client, connection] = await session();
    const before = connection.state();
    expect(before).toMatchObject({ awaitingServer: false, partialLine: false, messageOctets: null, oversized: false });
    client.write('MAIL');
    await soon(() => connection.state().partialLine);
    expect(connection.state().octets).toBe(before.octets + 4);
    client.write(' FROM:<a@b.example>\r\n');
    await soon(() => connection.state().awaitingServer);
    expect(connection.state()).toMatchObject({ commands: before.commands + 1 });
    finish();
    await client.reply();
    expect(connection.state()).toMatchObject({ awaitingServer: false, partialLine: false });
  });

  it('shows the state of a message, from DATA to its reply', async () => {
    let finish = (): void => undefined;
    let resume = (): void => undefined;
    const { session } = await start({
      size: 10,
      onData: (stream, _session, done) => {
        stream.resume();
        resume = () => void stream.pause();
        stream.once('end', () => (finish = done));
      },
    });
    const [client, connection] = await session();
    for (const line of ['MAIL FROM:<a@b.example>', 'RCPT TO:<a@b.example>', 'DATA']) await client.say(line);
    expect(connection.state()).toMatchObject({ awaitingServer: false, messageOctets: 0, partialLine: false });
    client.write('12345\r\n');
    await soon(() => connection.state().messageOctets !== 0);
    expect(connection.state().oversized).toBe(false);
    resume();
    expect(connection.state()).toMatchObject({ awaitingServer: true, messageOctets: 5 });
    client.write('67890123\r\nx');
    await soon(() => connection.state().oversized);
    const stream = Reflect.get(connection, '_dataStream') as { resume(): void };
    stream.resume();
    expect(connection.state().awaitingServer).toBe(false);
    client.write('\r\n.\r\n');
    await soon(() => connection.state().awaitingServer);
    expect(connection.state()).toMatchObject({ messageOctets: null, oversized: false });
    await sleep(20);
    finish();
    expect((await client.reply())[0]).toMatch(/^250 /);
    expect(connection.state().awaitingServer).toBe(false);
    expect(connection.sent.at(-1)).toEqual([250, 'DATA_OK']);
  });

  it('ends the connection after a 421', async () => {
    const { server, session } = await start();
    const [client, connection] = await session();
    connection.send(421, 'enough', false);
    expect(connection.isOpen).toBe(false);
    expect(server.open()).toEqual([]);
    expect(await client.reply()).toEqual(['421 enough']);
    await client.end();
  });
});

import { createServer, type AddressInfo } from 'node:net';
import { ConfigError, loadConfig } from '#libs/kernel';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { explainDatabaseError, explainListenError, explainStartError } from './explain-start-error.js';

const onPort = (port: number) => loadConfig('standalone', { INBOUND_SMTP_PORT: String(port) });
const listenFailure = (port: number, host: string) =>
  new Promise<unknown>((resolve, reject) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(reject));
  });

describe('explainListenError', () => {
  it('names the setting whose port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    expect(explainListenError(await listenFailure(port, '127.0.0.1'), onPort(port))).toBe(
      `Port ${port} of 127.0.0.1 (INBOUND_SMTP_PORT) is taken by another program: stop that one or choose another port`,
    );
    await new Promise((resolve) => taken.close(resolve));
  });

  it('explains an address of another machine', async () => {
    expect(explainListenError(await listenFailure(2525, '192.0.2.1'), onPort(2525))).toBe(
      'Port 2525 (INBOUND_SMTP_PORT) cannot be opened: 192.0.2.1 is no address of this machine',
    );
  });

  it('returns null for other errors', () => {
    expect(explainListenError(new Error('other'), onPort(2525))).toBeNull();
    expect(explainListenError('text', onPort(2525))).toBeNull();
  });
});

const onDatabase = (DATABASE_URL: string) =>
  loadConfig('standalone', { DATABASE_URL, MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
const connectFailure = async (url: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url });
  return client.connect().then(
    () => client.end(),
    (error: unknown) => error,
  );
};
/** A port where nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
const rejection = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });

describe('explainDatabaseError', () => {
  it.each(['127.0.0.1', 'localhost'])('explains that nothing listens at %s', async (host) => {
    const port = await closedPort();
    const url = `postgres://u:secret@${host}:${port}/mail`;
    expect(explainDatabaseError(await connectFailure(url), onDatabase(url))).toBe(
      `DATABASE_URL names port ${port} of ${host}, where nothing listens: start PostgreSQL there, or correct the setting`,
    );
  });

  it('explains a name without an address', async () => {
    const url = 'postgres://u:secret@nowhere.invalid/mail';
    expect(explainDatabaseError(await connectFailure(url), onDatabase(url))).toMatch(
      /^DATABASE_URL names nowhere\.invalid, for which no address is known \(E\w+\)/,
    );
  });

  it('gives the reason of a rejected login', () => {
    const known = onDatabase('postgres://u:secret@127.0.0.1/mail');
    const wrong = rejection('28P01', 'password authentication failed for user "u"');
    expect(explainDatabaseError(wrong, known)).toBe(
      'DATABASE_URL is refused by PostgreSQL: password authentication failed for user "u"',
    );
    expect(explainDatabaseError(rejection('3D000', 'database "mail" does not exist'), known)).toContain('"mail"');
    for (const [code, message] of [
      ['42501', 'permission denied for database "mail"'],
      ['53300', 'sorry, too many clients already'],
    ])
      expect(explainDatabaseError(rejection(code, message), known)).toContain(message);
    const old = rejection('42704', 'unrecognized configuration parameter "jit"');
    expect(explainDatabaseError(old, known)).toMatch(/^DATABASE_URL names a PostgreSQL server that is too old: /);
    expect(explainDatabaseError(rejection('42P01', 'relation "x" does not exist'), known)).toBeNull();
  });

  it('returns null for other errors', async () => {
    const elsewhere = await connectFailure(`postgres://u:secret@127.0.0.1:${await closedPort()}/mail`);
    expect(explainDatabaseError(elsewhere, onDatabase('postgres://u:secret@127.0.0.1/mail'))).toBeNull();
    expect(explainDatabaseError(elsewhere, loadConfig('standalone', {}))).toBeNull();
    expect(explainDatabaseError('text', onDatabase('postgres://u:secret@127.0.0.1/mail'))).toBeNull();
  });
});

describe('explainStartError', () => {
  it('gives the sentence of a wrong setting, and nothing for an unexpected error', () => {
    const config = loadConfig('standalone', {});
    expect(explainStartError(new ConfigError('HTTP_PORT must be a port.'), config)).toBe('HTTP_PORT must be a port.');
    expect(explainStartError(new TypeError('undefined is not a function'), config)).toBeNull();
  });
});

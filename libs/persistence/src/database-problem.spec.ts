import { createServer, type AddressInfo } from 'node:net';
import { loadConfig } from '#libs/kernel';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseProblem } from './database-problem.js';

const config = (DATABASE_URL: string) =>
  loadConfig('standalone', { DATABASE_URL, MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
const failing = async (url: string): Promise<unknown> => {
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
const refusal = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });

describe('databaseProblem', () => {
  it.each(['127.0.0.1', 'localhost'])('says that nothing listens at %s', async (host) => {
    const port = await closedPort();
    const url = `postgres://u:secret@${host}:${port}/mail`;
    expect(databaseProblem(await failing(url), config(url))).toBe(
      `DATABASE_URL names port ${port} of ${host}, where nothing listens: start PostgreSQL there, or correct the setting`,
    );
  });

  it('says that a name has no address', async () => {
    const url = 'postgres://u:secret@nowhere.invalid/mail';
    expect(databaseProblem(await failing(url), config(url))).toMatch(
      /^DATABASE_URL names nowhere\.invalid, for which no address is known \(E\w+\)/,
    );
  });

  it('says why PostgreSQL refuses the login', () => {
    const known = config('postgres://u:secret@127.0.0.1/mail');
    const wrong = refusal('28P01', 'password authentication failed for user "u"');
    expect(databaseProblem(wrong, known)).toBe(
      'DATABASE_URL is refused by PostgreSQL: password authentication failed for user "u"',
    );
    expect(databaseProblem(refusal('3D000', 'database "mail" does not exist'), known)).toContain('"mail"');
    expect(databaseProblem(refusal('42P01', 'relation "x" does not exist'), known)).toBeNull();
  });

  it('says nothing of other failures', async () => {
    const elsewhere = await failing(`postgres://u:secret@127.0.0.1:${await closedPort()}/mail`);
    expect(databaseProblem(elsewhere, config('postgres://u:secret@127.0.0.1/mail'))).toBeNull();
    expect(databaseProblem(elsewhere, loadConfig('standalone', {}))).toBeNull();
    expect(databaseProblem('text', config('postgres://u:secret@127.0.0.1/mail'))).toBeNull();
  });
});

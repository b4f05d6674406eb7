import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mail } from '../support/samples/mail.js';
import { API_KEY, emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { firstMailSuite } from '../system/lifecycle/first-mail.suite.js';
import { until } from '../support/timing/until.js';
import { startPostgres, type PostgresServer } from '../support/persistence/postgres-server.js';

const OUTCOMES = {
  'delivered@sim.postloft.test': 'delivered',
  'bounced@sim.postloft.test': 'bounced',
  'complained@sim.postloft.test': 'complained',
  'suppressed@sim.postloft.test': 'suppressed',
};

/** The whole service on a server of one version: it starts, accepts, claims, settles, stops, and starts again. */
export function postgresVersionSuite(major: number, binaries: () => Promise<string>): void {
  let server: PostgresServer;
  let program: RunningProgram;

  beforeAll(async () => {
    server = await startPostgres(await binaries());
  });
  afterAll(async () => {
    await program?.kill();
    await server?.stop();
    program?.clean();
  });

  it(`runs on version ${major}`, async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int AS version`,
    );
    await client.end();
    expect(Math.floor(rows[0].version / 10_000)).toBe(major);
  });

  firstMailSuite(async () => {
    program = await launch('standalone', {
      ...(await standaloneEnv(emptyDataDir())),
      DATABASE_URL: server.url,
      MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
      BOOTSTRAP_API_KEY: API_KEY,
    });
    return program;
  });

  it.each(Object.entries(OUTCOMES))('settles a mail to %s as %s', async (to, status) => {
    const answer = await program.call('POST', '/emails', mail({ to }));
    expect(answer.status).toBe(201);
    const { id } = (await answer.json()) as { id: string };
    await until(async () => ((await statusOf(id)) === status ? true : null), { what: `${to} to be ${status}` });
  });

  it('starts again on its data, and stops with code 0', async () => {
    expect(await program.stop()).toBe(0);
    program = await program.restart();
    const answer = await program.call('GET', '/emails?limit=100');
    expect(((await answer.json()) as { data: unknown[] }).data.length).toBeGreaterThan(3);
    expect(await program.stop()).toBe(0);
    // Failed statements are logged as they are, for example of a syntax that the version does not know.
    expect(program.output()).not.toMatch(/statement failed|syntax error|does not exist/);
  });

  async function statusOf(id: string): Promise<string> {
    const shown = (await (await program.call('GET', `/emails/${id}`)).json()) as { recipients: { status: string }[] };
    return shown.recipients[0].status;
  }
}

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutboxRelay } from '#libs/bus';
import { newId } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { startClickhouseFront } from '../stats/clickhouse-front.js';
import { freshDatabase, type TestDatabase } from '../persistence/database.js';
import { busProcess } from '../fixtures/log-harness.js';
import { launch, type RunningProgram } from '../services/program.js';
import { launchOne } from '../services/distributed.js';

type FixtureProgram = 'gateway' | 'analytics' | 'relay';
export type LiveFixture = Awaited<ReturnType<typeof openLiveFixture>>;

/**
 * Gateways and a sink as programs, on an event log that this process writes and moves.
 * @param settings those of the event log, for this process and the programs
 * @param own a database that the fixture drops at the end; one of its own on the server of the tests if absent
 */
export async function openLiveFixture(settings: Record<string, string> = {}, own?: TestDatabase) {
  const home = own ?? (await freshDatabase(process.env['TEST_DATABASE_URL'] as string));
  const writer = await busProcess(home.url, settings);
  await writer.app.get(OutboxRelay).start();
  const dir = mkdtempSync(join(tmpdir(), 'postloft-live-'));
  chmodSync(dir, 0o755);
  const front = await startClickhouseFront({ path: join(dir, 'clickhouse') });
  const database = writer.app.get(Database);
  const programs: RunningProgram[] = [];
  const fixture = {
    database,
    accountId: '',
    front,
    start: async (program: FixtureProgram, env: Record<string, string> = {}) => {
      const place = mkdtempSync(join(dir, `${program}-`));
      chmodSync(place, 0o755);
      const started = await launchOne(program, place, {
        DATABASE_URL: home.url,
        CLICKHOUSE_URL: `${front.url}/default`,
        ...settings,
        ...env,
      });
      programs.push(started);
      const { rows } = await database.query<{ id: string }>('SELECT id FROM accounts ORDER BY created_at LIMIT 1');
      fixture.accountId = rows[0]?.id ?? '';
      return started;
    },
    /** Kills the program and starts it again on its ports. */
    killAndStart: async (program: FixtureProgram, running: RunningProgram) => {
      await running.kill();
      const again = await launch(program, running.env, {
        readyUrl: `http://127.0.0.1:${running.env['OPS_PORT']}/readyz`,
      });
      programs.push(again);
      return again;
    },
    /** Ids of new domains of the account. */
    domains: async (gateway: RunningProgram, count: number) => {
      const { id } = await gateway.json<{ id: string }>('POST', '/domains', { name: `first${Date.now()}.example.org` });
      const ids = Array.from({ length: count - 1 }, () => newId('dom'));
      // Copies, because a key pair for each would take longer than the test.
      await database.query(
        `INSERT INTO domains SELECT (jsonb_populate_record(d, jsonb_build_object('id', copy.id, 'name', copy.id || '.example'))).*
           FROM domains d, unnest($2::text[]) AS copy(id) WHERE d.id = $1`,
        [id, ids],
      );
      return [id, ...ids];
    },
    close: async () => {
      for (const program of programs) await program.stop().catch(() => undefined);
      await front.stop();
      await writer.stop();
      await home.drop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return fixture;
}

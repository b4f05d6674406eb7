import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../../libs/persistence/src/embedded-postgres/index.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { snapshotOf, UNFINISHED, type ApiSnapshot } from '../../support/releases/api-snapshot.js';
import { loadDump, RELEASE_SETTINGS, releaseSample, unpackDataDir } from '../../support/releases/release-sample.js';
import { emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';

type Item = Record<string, unknown> & { id: string };

/** What may differ although nothing was lost: times of checks and uses, and answers about what still goes on. */
const CHANGING = [
  'failing_since',
  'last_used_at',
  'last_checked_at',
  'checked_at',
  'check_requested_at',
  'updated_at',
  'records',
  'findings',
  'usage',
];

describe.each(['data-dir', 'dump'] as const)('the %s of 0.1.0', (kind) => {
  const sample = releaseSample('0.1.0', kind);
  const unfinished = (sample.api['/emails'] as Item[]).filter(({ status }) => UNFINISHED.has(status as string));
  let dataDir: string;
  let postgres: EmbeddedPostgres | undefined;
  let dns: LocalDns;
  let mx: ScriptedMx;
  let service: RunningProgram;
  let api: ApiSnapshot;

  beforeAll(async () => {
    mx = await ScriptedMx.start();
    const server = { MX: [{ preference: 10, exchange: 'mx.example.net' }] };
    dns = await LocalDns.start({ 'example.net': server, 'mx.example.net': { A: ['127.0.0.1'] } });
    dataDir = kind === 'data-dir' ? unpackDataDir('0.1.0') : emptyDataDir();
    if (kind === 'dump') {
      postgres = await EmbeddedPostgres.start({ dataDir: join(dataDir, 'engine'), log: () => undefined });
      await loadDump('0.1.0', postgres.url);
    }
    service = await launch('standalone', {
      ...(await standaloneEnv(dataDir)),
      ...RELEASE_SETTINGS,
      ...(postgres === undefined ? {} : { DATABASE_URL: postgres.url }),
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
    });
    await mx.waitForMails(unfinished.length, 60_000);
    await until(async () => (await totals()).sent >= recorded().sent, { what: 'statistics' });
    api = await snapshotOf(service, sample.period);
  }, 180_000);
  afterAll(async () => {
    await service?.stop();
    await postgres?.stop();
    await mx?.close();
    await dns?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const statistics = Object.keys(sample.api).filter((path) => path.startsWith('/stats'));
  const recorded = () => (sample.api[statistics[0]] as { totals: Record<string, number> }).totals;
  const totals = async () => (await service.json<{ totals: Record<string, number> }>('GET', statistics[0])).totals;

  it('is answered as before by the API', () => {
    const hasEnded = (path: string) => !unfinished.some(({ id }) => path.includes(id));
    const paths = Object.keys(sample.api).filter((path) => hasEnded(path) && !path.startsWith('/stats'));
    expect(paths.length).toBeGreaterThan(70);
    for (const path of paths) {
      const [before, after] = [sample.api[path], api[path]];
      if (Array.isArray(before)) expectAll(path, before as Item[], after as Item[]);
      else expect(after, path).toMatchObject(settled(before as Item));
    }
  });

  it('has the same statistics', () => {
    for (const path of statistics) {
      const [before, after] = [sample.api[path], api[path]] as { totals: object; data: object[] }[];
      expect(after.totals, path).toMatchObject(before.totals);
      expect(after.data, path).toMatchObject(before.data);
    }
  });

  it('has its waiting mail delivered once', async () => {
    const status = async (id: string) => (await service.json<{ status: string }>('GET', `/emails/${id}`)).status;
    for (const { id } of unfinished) await until(async () => (await status(id)) === 'delivered');
    const subjects = mx.accepted.map(({ content }) => /^Subject: (.*)\r$/m.exec(content.toString())?.[1]);
    expect(new Set(subjects)).toEqual(new Set(unfinished.map(({ subject }) => subject)));
    expect(subjects).toHaveLength(unfinished.length);
  });

  /** Each item of a list that does not change by itself. */
  function expectAll(path: string, before: Item[], after: Item[]): void {
    const found = new Map(after.map((item) => [item.id, item]));
    for (const item of before) {
      const isOpen = unfinished.some(({ id }) => id === item.id) || item['status'] === 'pending';
      const { status: _, ...still } = settled(item);
      expect(found.get(item.id), `${path} ${item.id}`).toMatchObject(isOpen ? { id: item.id } : still);
    }
  }
});

function settled(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !CHANGING.includes(name))) as Item;
}

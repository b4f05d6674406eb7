import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { describe, expect, it } from 'vitest';
import { Database } from '#libs/persistence';
import { startGatewayApp } from '../../support/fixtures/gateway-app.js';

const SIZES: [text: string, bytes: number, emails: number][] = [
  ['2 KB', 2_000, 2_000],
  ['20 KB', 20_000, 1_000],
  ['100 KB', 100_000, 300],
  ['1 MB', 1_000_000, 60],
];
const CLIENTS = 20;

/** Bytes of the write-ahead log and on disk, and processor time of the gateway, for each accepted email. */
describe('accepting emails with each content store', () => {
  it.each(SIZES)('%s', { timeout: 300_000 }, async (size, bytes, emails) => {
    const rows: Record<string, unknown>[] = [];
    // In turns, so that a change of the machine's load meets all of them.
    for (const store of ['postgres', 'files', 'postgres', 'files']) rows.push(await measure(store, { bytes, emails }));
    console.log(`${size}, load ${loadavg()[0].toFixed(1)}`);
    console.table(rows);
    const wal = (store: string) =>
      Math.min(...rows.filter((row) => row['store'] === store).map((row) => Number(row['wal'])));
    expect(wal('files')).toBeLessThan(wal('postgres'));
  });
});

async function measure(store: string, { bytes, emails }: { bytes: number; emails: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-contents-'));
  const gateway = await startGatewayApp({ CONTENT_STORE: store, CONTENT_DIR: folder });
  try {
    const { key, domain } = await gateway.account();
    const body = (i: number) =>
      JSON.stringify({
        from: `a@${domain}`,
        to: `u${i}@recipient.example`,
        subject: 's',
        text: `${i} `.padEnd(bytes, 'x'),
      });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const send = async (count: number) => {
      let next = 0;
      const client = async () => {
        while (next < count) {
          const response = await fetch(`${gateway.url}/emails`, { method: 'POST', headers, body: body(next++) });
          if (response.status !== 201) throw new Error(`answered ${response.status}`);
          await response.arrayBuffer();
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    };
    await send(Math.ceil(emails / 5));
    const database = gateway.app.get(Database);
    const position = async () =>
      (await database.query<{ at: string }>("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS at")).rows[0]
        .at;
    const filesBefore = sizeOf(folder);
    const [walBefore, cpuBefore, began] = [Number(await position()), process.cpuUsage(), performance.now()];
    await send(emails);
    const seconds = (performance.now() - began) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    return {
      store,
      'emails/s': Math.round(emails / seconds),
      'µs of this process': Math.round((cpu.user + cpu.system) / emails),
      wal: Math.round((Number(await position()) - walBefore) / emails),
      'bytes in files': Math.round((sizeOf(folder) - filesBefore) / emails),
    };
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  }
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, one) => sum + statSync(join(one.parentPath, one.name)).size, 0);
}

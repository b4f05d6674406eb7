import type { Engine } from '../engine.js';
import { LATENCY, merged, PERCENTILES } from '../schema/columns.js';
import { countsTable } from '../schema/tables.js';

/** Activity of all accounts. */
export interface ServiceActivity {
  /** Ascending; minutes without events are absent. */
  minutes: { at: Date; accepted: number; delivered: number }[];
  /** Milliseconds from due to delivered; null if nothing was delivered. */
  latency: { p50: number; p95: number } | null;
}

interface Row {
  minute: number;
  accepted: string;
  delivered: string;
}

/** Reads the roll-up of minutes of all accounts: some weeks of rows are passed over, so callers keep the result for a while. */
export async function readServiceActivity(engine: Engine, from: Date): Promise<ServiceActivity> {
  const since = `FROM ${countsTable('minute')} WHERE period >= toDateTime({from:UInt32}, 'UTC')`;
  const params = { from: Math.floor(from.getTime() / 1_000) };
  const rows = await engine.select<Row>({
    query: `SELECT toUnixTimestamp(period) AS minute, ${merged('accepted')} AS accepted, ${merged('delivered')} AS delivered
              ${since} GROUP BY period ORDER BY period`,
    params,
  });
  const minutes = rows.map(({ minute, accepted, delivered }) => ({
    at: new Date(Number(minute) * 1_000),
    accepted: Number(accepted),
    delivered: Number(delivered),
  }));
  if (minutes.every(({ delivered }) => delivered === 0)) return { minutes, latency: null };
  const [{ percentiles }] = await engine.select<{ percentiles: number[] }>({
    query: `SELECT ${merged(LATENCY)} AS percentiles ${since}`,
    params,
  });
  const names = Object.keys(PERCENTILES);
  const of = (name: keyof typeof PERCENTILES) => Math.round(Number(percentiles[names.indexOf(name)]));
  return { minutes, latency: { p50: of('p50'), p95: of('p95') } };
}

/** Bytes of all tables on the disk of the engine. */
export async function readBytes(engine: Engine): Promise<number> {
  const [{ bytes }] = await engine.select<{ bytes: string }>({
    query: 'SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = currentDatabase()',
    params: {},
  });
  return Number(bytes);
}

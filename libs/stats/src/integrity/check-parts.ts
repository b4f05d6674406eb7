import type { Engine } from '../engine.js';
import { DATA_TABLES } from '../schema/tables.js';

/**
 * Reads all parts and detaches those whose checksums do not match.
 * @returns `<table>/<part>`
 */
export async function detachDamagedParts(
  engine: Engine,
  { tables = DATA_TABLES, onDamage }: { tables?: readonly string[]; onDamage?: () => void } = {},
): Promise<string[]> {
  const detached: string[] = [];
  for (const table of tables) {
    const parts = await engine.select<{ part_path: string; is_passed: number }>({
      query: `CHECK TABLE ${table} SETTINGS check_query_single_value_result = 0, max_threads = 1`,
      params: {},
    });
    for (const { part_path: part } of parts.filter(({ is_passed }) => Number(is_passed) === 0)) {
      onDamage?.();
      await engine.command(`ALTER TABLE ${table} DETACH PART '${part.replaceAll("'", '')}'`);
      detached.push(`${table}/${part}`);
    }
  }
  return detached;
}

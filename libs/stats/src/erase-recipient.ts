import type { ClickHouseClient } from '@clickhouse/client';
import type { AddressErasure } from '#libs/contracts';

interface Table {
  name: string;
  hasTags: boolean;
}

/**
 * Puts the keyed hash in place of an address in every table that has recipients, in the rows of its account. A mutation rewrites
 * the parts that contain it, so a table without such rows is left alone. Returns the number of rows.
 */
export async function eraseRecipient(client: ClickHouseClient, erasure: AddressErasure): Promise<number> {
  let erased = 0;
  for (const table of await recipientTables(client)) {
    const condition = conditionFor(table, erasure);
    const [{ found }] = await select<{ found: number }>(
      client,
      `SELECT count() AS found FROM ${table.name} WHERE ${condition}`,
    );
    if (Number(found) === 0) continue;
    await client.command({
      query: `ALTER TABLE ${table.name} UPDATE ${changesOf(table, erasure)} WHERE ${condition}`,
      // Waits until every replica has rewritten its parts.
      clickhouse_settings: { mutations_sync: '2' },
    });
    erased += Number(found);
  }
  for (const table of await valueTables(client)) await eraseValues(client, table, erasure);
  return erased;
}

/**
 * Roll-ups by dimension have the value in their sorting key, which a mutation cannot change: the rows are copied under the other value
 * and then deleted. Values of tags are the only ones that customers choose.
 */
async function eraseValues(client: ClickHouseClient, table: ValueTable, erasure: AddressErasure): Promise<void> {
  const values = `[${erasure.needles.map(literal).join(', ')}]`;
  const condition = `${accountIs(erasure)} AND multiSearchAnyCaseInsensitiveUTF8(value, ${values})`;
  const [{ found }] = await select<{ found: number }>(
    client,
    `SELECT count() AS found FROM ${table.name} WHERE ${condition}`,
  );
  if (Number(found) === 0) return;
  const columns = table.columns.map((column) =>
    column === 'value' ? `${literal(erasure.erasedAs)} AS erased` : column,
  );
  await client.command({
    query: `INSERT INTO ${table.name} (${table.columns.join(', ')}) SELECT ${columns.join(', ')} FROM ${table.name} WHERE ${condition}`,
  });
  await client.command({
    query: `ALTER TABLE ${table.name} DELETE WHERE ${condition}`,
    clickhouse_settings: { mutations_sync: '2' },
  });
}

interface ValueTable {
  name: string;
  columns: string[];
}

async function valueTables(client: ClickHouseClient): Promise<ValueTable[]> {
  return select<ValueTable>(
    client,
    `SELECT t.name AS name, groupArray(c.name) AS columns
       FROM system.tables AS t JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
      WHERE t.database = currentDatabase() AND t.engine LIKE '%MergeTree'
      GROUP BY t.name HAVING countIf(c.name IN ('account_id', 'dimension', 'value')) = 3 ORDER BY name`,
  );
}

async function recipientTables(client: ClickHouseClient): Promise<Table[]> {
  const rows = await select<{ name: string; has_tags: number }>(
    client,
    `SELECT t.name AS name, countIf(c.name = 'tags' AND c.type LIKE 'Map(%') AS has_tags
       FROM system.tables AS t JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
      WHERE t.database = currentDatabase() AND t.engine LIKE '%MergeTree'
      GROUP BY t.name HAVING countIf(c.name = 'recipient') > 0 AND countIf(c.name = 'account_id') > 0 ORDER BY name`,
  );
  return rows.map(({ name, has_tags }) => ({ name, hasTags: Number(has_tags) > 0 }));
}

/** The id as text, or as the UUID in it. */
const accountIs = ({ accountId }: AddressErasure): string =>
  `replaceAll(toString(account_id), '-', '') IN (${literal(accountId)}, ${literal(accountId.slice(4))})`;

function conditionFor({ hasTags }: Table, erasure: AddressErasure): string {
  const { needles } = erasure;
  const values = `[${needles.map(literal).join(', ')}]`;
  const isRecipient = `has(${values}, lowerUTF8(recipient))`;
  return `${accountIs(erasure)} AND (${isRecipient}${hasTags ? ` OR arrayExists(v -> ${isIn(values)}, mapValues(tags))` : ''})`;
}

function changesOf({ hasTags }: Table, { erasedAs, needles }: AddressErasure): string {
  const values = `[${needles.map(literal).join(', ')}]`;
  const recipient = `recipient = if(has(${values}, lowerUTF8(recipient)), ${literal(erasedAs)}, recipient)`;
  if (!hasTags) return recipient;
  return `${recipient}, tags = mapApply((k, v) -> (k, if(${isIn(values)}, ${literal(erasedAs)}, v)), tags)`;
}

const isIn = (values: string): string => `multiSearchAnyCaseInsensitiveUTF8(v, ${values})`;

/** Parameters are not supported in mutations. */
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

async function select<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  const result = await client.query({ query, format: 'JSONEachRow' });
  return result.json<T>();
}

import type { ClickHouseClient } from '@clickhouse/client';
import type { Client } from 'pg';

/** The tables of PostgreSQL that contain a text, in any case and any column: as text, inside of JSON, or in octets. */
export async function tablesWithText(client: Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; octets: string[] | null }>(
    `SELECT format('%I.%I', t.table_schema, t.table_name) AS name,
            array_agg(quote_ident(c.column_name)) FILTER (WHERE c.data_type = 'bytea') AS octets
       FROM information_schema.tables t
       JOIN information_schema.columns c USING (table_schema, table_name)
      WHERE t.table_type = 'BASE TABLE' AND t.table_schema NOT IN ('pg_catalog', 'information_schema')
        -- The table of a partition has its rows as well.
        AND NOT (SELECT relispartition FROM pg_class WHERE oid = format('%I.%I', t.table_schema, t.table_name)::regclass)
      GROUP BY t.table_schema, t.table_name ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name, octets } of rows) {
    const places = ['lower(row_of::text)', ...(octets ?? []).map((column) => `lower(encode(${column}, 'escape'))`)];
    const condition = places.map((place) => `strpos(${place}, lower($1)) > 0`).join(' OR ');
    const count = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} AS row_of WHERE ${condition}`,
      [text],
    );
    if (count.rows[0].count > 0) found.push(`${name}: ${count.rows[0].count}`);
  }
  return found;
}

/** The same for the tables of ClickHouse in the current database. */
export async function statsTablesWithText(client: ClickHouseClient, text: string): Promise<string[]> {
  const select = async <T>(query: string, params: Record<string, unknown> = {}) =>
    (await client.query({ query, query_params: params, format: 'JSONEachRow' })).json<T>();
  const tables = await select<{ name: string; columns: string[] }>(
    `SELECT t.name AS name, groupArray(c.name) AS columns
       FROM system.tables AS t JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
      WHERE t.database = currentDatabase() AND t.engine LIKE '%MergeTree'
        AND (c.type LIKE '%String%' OR c.type LIKE 'Map%') AND c.type NOT LIKE 'AggregateFunction%'
      GROUP BY t.name ORDER BY name`,
  );
  const found: string[] = [];
  for (const { name, columns } of tables) {
    const condition = columns.map((column) => `positionCaseInsensitive(toString(${column}), {text:String}) > 0`);
    const query = `SELECT count() AS count FROM ${name} WHERE ${condition.join(' OR ')}`;
    const [{ count }] = await select<{ count: number }>(query, { text });
    if (Number(count) > 0) found.push(`${name}: ${count}`);
  }
  return found;
}

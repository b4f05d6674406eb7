// A stand-in for a ClickHouse server in tests: the engine in this process behind the part of ClickHouse's HTTP interface
// that the official client uses. Not a product part.
//
//   node test/support/stats/clickhouse-front.mjs [--path <dir>] [--port <n>]
//
// Prints its URL on a line of its own, ends on SIGTERM, SIGINT, or when its standard input ends.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Session } from 'chdb';

const { values: args } = parseArgs({ options: { path: { type: 'string' }, port: { type: 'string', default: '0' } } });
const path = args.path ?? mkdtempSync(join(tmpdir(), 'clickhouse-front-'));
const session = new Session(path, { connectionArgs: ['--max_server_memory_usage=1073741824'] });
// As on a server: its default database gives tables an identity, the engine's own does not.
session.query('CREATE DATABASE IF NOT EXISTS front ENGINE = Atomic');

/** Parameters of the URL that are neither settings nor query parameters. */
const OWN = new Set(['query', 'database', 'query_id', 'session_id', 'default_format', 'role', 'user', 'password']);
/** Settings of the HTTP layer, which the engine does not know. */
const HTTP_ONLY = /^(wait_end_of_query|send_progress_in_http_headers|enable_http_compression|http_.*)$/;
const ERROR_CODE = /Code: (\d+)\./;

const literal = (/** @type {string} */ text) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
const identifier = (/** @type {string} */ name) => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

/**
 * What one request sets, as statements before it, and statements after it that undo them: settings of a request end with
 * it on a server, while the engine here has one session for all.
 * @param {URLSearchParams} params
 */
function settingsOf(params) {
  const names = [...new Set(params.keys())].filter((name) => !OWN.has(name) && !HTTP_ONLY.test(name));
  for (const name of names) if (!/^\w+$/.test(name)) throw new Error('Code: 115. DB::Exception: odd setting name');
  const database = params.get('database') ?? 'default';
  return {
    before: [
      `USE ${identifier(database === 'default' ? 'front' : database)}`,
      // Query parameters arrive escaped as the engine reads them.
      ...names.map((name) => `SET ${name} = ${literal(params.get(name) ?? '')}`),
    ],
    after: names.filter((name) => !name.startsWith('param_')).map((name) => `SET ${name} = DEFAULT`),
  };
}

/** @type {Promise<unknown>} */
let turn = Promise.resolve();
/**
 * One request at a time, because they share a session.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
function inTurn(work) {
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return mine;
}

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(/** @type {Buffer} */ (chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * @param {URLSearchParams} params
 * @param {string} body
 */
async function run(params, body) {
  const { before, after } = settingsOf(params);
  const sql = [params.get('query'), body].filter(Boolean).join('\n');
  try {
    for (const statement of before) await session.queryAsync(statement);
    return await session.queryAsync(sql, { format: params.get('default_format') ?? 'TabSeparated' });
  } finally {
    for (const statement of after) await session.queryAsync(statement);
  }
}

const server = createServer((request, response) => void answer(request, response));
/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(request, response) {
  const [target, search = ''] = (request.url ?? '/').split('?', 2);
  const params = new URLSearchParams(search);
  response.setHeader('X-ClickHouse-Server-Display-Name', 'front');
  response.setHeader('X-ClickHouse-Query-Id', params.get('query_id') ?? randomUUID());
  if (target === '/ping') return void response.end('Ok.\n');
  try {
    const body = await bodyOf(request);
    const result = await inTurn(() => run(params, body));
    const rows = String(result.rowsRead);
    const summary = { read_rows: rows, written_rows: rows, result_rows: rows, elapsed_ns: '0' };
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary));
    response.end(result.bytes());
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    response.statusCode = 500;
    response.setHeader('X-ClickHouse-Exception-Code', ERROR_CODE.exec(message)?.[1] ?? '1000');
    response.end(message);
  }
}

function end() {
  server.closeAllConnections();
  server.close(() => {
    void turn.then(() => {
      session.close();
      if (args.path === undefined) rmSync(path, { recursive: true, force: true });
      process.exit(0);
    });
  });
}
process.once('SIGTERM', end);
process.once('SIGINT', end);
process.stdin.once('end', end).resume();

server.listen(Number(args.port), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${address.port}`);
});

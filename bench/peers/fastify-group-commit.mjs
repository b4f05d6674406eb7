// The peer of the HTTP measurement: the minimum that accepts a message durably. Fastify without validation, an API key
// compared in memory, one row per message, and group commit: concurrent requests share one INSERT and one commit.
//   forked with { databaseUrl }; creates its table, sends { port }, exits with its parent
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import pg from 'pg';

const MAX_ROWS = 128;
const MAX_BYTES = 4 * 1024 * 1024;

// Fastify is not a direct dependency; this is the copy that the gateway uses.
const require = createRequire(createRequire(import.meta.url).resolve('@nestjs/platform-fastify'));
/** @type {typeof import('fastify').default} */
const fastify = require('fastify');

const { databaseUrl, apiKey } = JSON.parse(process.argv[2]);
const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bench-peer' });
await client.connect();
await client.query(
  'CREATE TABLE IF NOT EXISTS messages (id text COLLATE "C" PRIMARY KEY, idempotency_key text, body bytea NOT NULL)',
);
await client.query('ALTER TABLE messages ALTER body SET STORAGE EXTERNAL');

/** @typedef {{ id: string, key: string, body: Buffer, resolve: () => void, reject: (error: unknown) => void }} Waiting */
/** @type {Waiting[]} */
let queue = [];
let committing = false;

/** @param {string} id @param {string} key @param {Buffer} body @returns {Promise<void>} */
function store(id, key, body) {
  return new Promise((resolve, reject) => {
    queue.push({ id, key, body, resolve, reject });
    if (!committing) void commitAll();
  });
}

async function commitAll() {
  committing = true;
  while (queue.length > 0) {
    const group = takeGroup();
    try {
      await client.query(insertOf(group));
      for (const waiting of group) waiting.resolve();
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }
  committing = false;
}

function takeGroup() {
  let bytes = 0;
  let count = 0;
  while (count < queue.length && count < MAX_ROWS) {
    bytes += queue[count].body.length;
    if (count > 0 && bytes > MAX_BYTES) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** @type {Map<number, string>} */
const texts = new Map();

/** Prepared once per power of two; missing rows are NULL and filtered out. @param {number} size */
function textOf(size) {
  const rows = Array.from(
    { length: size },
    (_, i) => `($${3 * i + 1}::text, $${3 * i + 2}::text, $${3 * i + 3}::bytea)`,
  );
  return `INSERT INTO messages (id, idempotency_key, body) SELECT * FROM (VALUES ${rows.join(', ')}) AS m(id, key, body) WHERE id IS NOT NULL`;
}

/** @param {Waiting[]} group */
function insertOf(group) {
  const size = 2 ** Math.ceil(Math.log2(group.length));
  const text = texts.get(size) ?? textOf(size);
  texts.set(size, text);
  /** @type {unknown[]} */
  const values = Array.from({ length: 3 * size }, () => null);
  group.forEach(({ id, key, body }, i) => {
    values[3 * i] = id;
    values[3 * i + 1] = key;
    values[3 * i + 2] = body;
  });
  return { name: `insert-${size}`, text, values };
}

const app = fastify({ logger: false });
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, /** @type {Buffer} */ bytes, done) => {
  try {
    JSON.parse(bytes.toString('utf8'));
    done(null, bytes);
  } catch (error) {
    done(/** @type {Error} */ (error));
  }
});
app.post('/emails', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${apiKey}`) return reply.code(401).send({ message: 'wrong key' });
  const id = randomUUID();
  await store(id, String(request.headers['idempotency-key']), /** @type {Buffer} */ (request.body));
  return reply.code(201).send({ id, object: 'email' });
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (app.server.address()).port });
process.on('disconnect', () => process.exit(0));

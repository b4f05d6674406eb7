// The peer of the submission measurement: nodemailer's smtp-server as in its manual, with TLS, a password compared in
// memory, and one file per message, which is written, flushed and renamed before the 250.
//   forked with { folder, user, password }; sends { port }, exits with its parent
import { close, fsync, open, rename, write } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { selfSigned } from './certificate.mjs';

const { folder, user, password } = JSON.parse(process.argv[2]);
const file = { open: promisify(open), write: promisify(write), fsync: promisify(fsync), close: promisify(close) };
const finish = promisify(rename);

/** @param {Buffer} message */
async function store(message) {
  const id = randomUUID();
  const unfinished = join(folder, `${id}.tmp`);
  const handle = await file.open(unfinished, 'wx');
  await file.write(handle, message, 0, message.length, null);
  await file.fsync(handle);
  await file.close(handle);
  await finish(unfinished, join(folder, `${id}.eml`));
  return id;
}

const { key, cert } = await selfSigned();
const server = new SMTPServer({
  secure: true,
  key,
  cert,
  minVersion: 'TLSv1.2',
  size: 10_485_760,
  authMethods: ['PLAIN', 'LOGIN'],
  disableReverseLookup: true,
  logger: false,
  onAuth: (auth, _session, done) =>
    auth.username === user && auth.password === password ? done(null, { user }) : done(new Error('wrong password')),
  onData: (stream, _session, done) => {
    /** @type {Buffer[]} */
    const chunks = [];
    stream.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    stream.on('end', () => {
      store(Buffer.concat(chunks)).then(
        (id) => done(null, `queued as ${id}`),
        (/** @type {Error} */ error) => done(error),
      );
    });
  },
});
server.on('error', () => undefined);
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.server.address()).port });
});
process.on('disconnect', () => process.exit(0));

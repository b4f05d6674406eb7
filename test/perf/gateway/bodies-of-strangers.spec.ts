import { readFileSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawHttp, statusesOf } from '../../support/attacks/raw-http.js';
import { startStandalone, type RunningProgram } from '../../support/services/program.js';

const MEGABYTE = 1024 * 1024;
const REQUESTS = 60;
const BODY_BYTES = 15 * MEGABYTE;
const PIECE = Buffer.alloc(MEGABYTE, ' ');

/** Memory of the process while clients without an account send large bodies that never end. */
describe('bodies of clients without an account', () => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await startStandalone();
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  const residentMegabytes = (): number =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))?.[1]) / 1024;

  it.each([
    ['with a declared length', `Content-Length: ${BODY_BYTES + 1}`],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ])('are not kept in memory: %s', async (what, framing) => {
    const before = residentMegabytes();
    const all: RawHttp[] = [];
    for (let i = 0; i < REQUESTS; i += 1) {
      const raw = await RawHttp.open({ port: program.ports.http });
      raw.write('POST /app/api/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', framing, '', '');
      for (let sent = 0; sent < BODY_BYTES && !raw.ended && !raw.closed; sent += PIECE.length) await send(raw, framing);
      all.push(raw);
    }
    await later(1_000);
    const during = residentMegabytes();
    const answered = all.flatMap(({ received }) => statusesOf(received));
    for (const raw of all) raw.destroy();
    console.log(
      `${what}: ${before.toFixed(0)} MB before, ${during.toFixed(0)} MB with ${REQUESTS} bodies of ${BODY_BYTES / MEGABYTE} MB; ${answered.length} refused`,
    );
    expect(during - before).toBeLessThan(200);
    // The server closes the connection of a body in chunks, and a client that is still sending may miss the response.
    expect(new Set(answered)).toEqual(new Set([413]));
  });
});

async function send(raw: RawHttp, framing: string): Promise<void> {
  const isChunked = framing.startsWith('Transfer-Encoding');
  if (isChunked) raw.socket.write(`${PIECE.length.toString(16)}\r\n`);
  const flowing = raw.socket.write(PIECE);
  if (isChunked) raw.socket.write('\r\n');
  if (flowing || raw.closed) return;
  await new Promise((resolve) => raw.socket.once('drain', resolve).once('close', resolve));
  raw.socket.removeAllListeners('drain');
}

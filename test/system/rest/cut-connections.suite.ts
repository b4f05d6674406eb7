import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import type { Sender } from '../../support/services/sender.js';
import { randomNumbers } from '../../support/samples/random-numbers.js';

const CLIENTS = 25;
/** Of an answer; more than its head and body have. */
const ANSWER_BYTES = 900;
const PATIENCE = 60;
const AGAIN_AFTER_MS = 500;

interface Cut {
  /** Bytes of the request that are written before the connection is reset; null: all. */
  request: number | null;
  /** Bytes of the answer that are read before it is reset; null: all. */
  answer: number | null;
}

/**
 * A request that is repeated under its idempotency key until it is answered makes one mail, wherever the connections of
 * the attempts break.
 */
export function cutConnectionsSuite(sends: number, open: () => Promise<Sender>): void {
  let sender: Sender;

  beforeAll(async () => {
    sender = await open();
  });

  it('make exactly one mail per key, and answer the same id each time', async () => {
    const random = randomNumbers(20_261_121);
    const ids = new Map<string, Set<string>>();
    let next = 0;
    let attempts = 0;
    let cut = 0;
    let busy = 0;
    const client = async () => {
      for (let i = next++; i < sends; i = next++) {
        const key = `cut-${i}`;
        const request = requestOf(sender, key);
        const seen = new Set<string>();
        ids.set(key, seen);
        for (const where of cuts(random, request.length)) {
          attempts += 1;
          const answer = await attempt(sender, request, where);
          if (answer === null) cut += 1;
          else seen.add(answer);
        }
        // Then one that is heard to the end, then once more.
        for (const _ of ['first', 'second']) {
          const heard = await untilAnswered(sender, request);
          attempts += heard.attempts;
          busy += heard.attempts - 1;
          seen.add(heard.id);
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));

    const unclear = [...ids].filter(([, seen]) => seen.size !== 1);
    const distinct = new Set([...ids.values()].flatMap((seen) => [...seen]));
    const stored = await countMails(sender);
    console.log(
      `${sends} keys, ${attempts} attempts, ${cut} cut, ${busy} told to come again; ${distinct.size} ids, ${stored} mails`,
    );
    expect(unclear).toEqual([]);
    expect(distinct.size).toBe(sends);
    expect(stored).toBe(sends);
    expect(cut).toBeGreaterThan(sends / 2);
  });
}

const WHOLE: Cut = { request: null, answer: null };

function requestOf(sender: Sender, key: string): Buffer {
  const body = JSON.stringify(sender.mail({ subject: key, to: 'delivered@sim.postloft.test', html: 'x'.repeat(300) }));
  return Buffer.from(
    [
      'POST /emails HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${sender.key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Idempotency-Key: ${key}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function cuts(random: () => number, requestLength: number): Cut[] {
  return Array.from({ length: Math.floor(random() * 3) }, () =>
    random() < 0.5
      ? { request: Math.floor(random() * requestLength), answer: null }
      : { request: null, answer: Math.floor(random() * ANSWER_BYTES) },
  );
}

/** As a client that takes 409 (an attempt of before is still under way) and 503 as "come again". */
async function untilAnswered(sender: Sender, request: Buffer): Promise<{ id: string; attempts: number }> {
  for (let attempts = 1; attempts <= PATIENCE; attempts++) {
    const id = await attempt(sender, request, WHOLE);
    if (id !== null) return { id, attempts };
    await sleep(AGAIN_AFTER_MS);
  }
  throw new Error(`told to come again ${PATIENCE} times`);
}

/** The id that a whole answer brought; null when the connection was cut before, or the answer was "come again". */
function attempt({ ports }: Sender, request: Buffer, where: Cut): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(ports.http, '127.0.0.1');
    let answer = '';
    let read = 0;
    const reset = () => {
      socket.resetAndDestroy();
      resolve(null);
    };
    socket.on('connect', () => {
      socket.write(where.request === null ? request : request.subarray(0, where.request), () => {
        if (where.request !== null) reset();
        else if (where.answer === 0) reset();
      });
    });
    socket.on('data', (chunk: Buffer) => {
      read += chunk.length;
      answer += chunk.toString();
      if (where.answer !== null && read >= where.answer) reset();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (where === WHOLE ? reject(error) : resolve(null)));
    socket.on('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
      const [, id] = /"id":"(em_[0-9a-f]{32})"/.exec(answer) ?? [];
      if (status === '201' && id) resolve(id);
      else if (where === WHOLE && !['409', '503'].includes(status))
        reject(new Error(`answered ${answer.slice(0, 400)}`));
      else resolve(null);
    });
  });
}

async function countMails(sender: Sender): Promise<number> {
  let count = 0;
  let after = '';
  for (;;) {
    const page = (await (await sender.call('GET', `/emails?limit=100${after}`)).json()) as {
      data: unknown[];
      next_cursor: string | null;
    };
    count += page.data.length;
    if (page.next_cursor === null) return count;
    after = `&after=${page.next_cursor}`;
  }
}

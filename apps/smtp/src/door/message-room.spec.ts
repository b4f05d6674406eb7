import { PassThrough } from 'node:stream';
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MessageRoom } from './message-room.js';

const KIB = 1024;
const LIMIT = 1024 * KIB;

/** A message that is sent piece by piece; `read` is what the room makes of it. */
function message(room: MessageRoom) {
  const stream = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false });
  const read = room.read(stream, { limit: LIMIT }).then(
    (octets) => octets.length,
    (error: Error) => error.message,
  );
  return {
    read,
    stream,
    async send(octets: number): Promise<void> {
      stream.write(Buffer.alloc(octets));
      await later(0);
    },
    end: () => stream.end(),
    waits: () => stream.isPaused(),
  };
}

describe('MessageRoom', () => {
  it('keeps large messages waiting where there is no room, until one has left', async () => {
    const room = new MessageRoom(200 * KIB);
    const [first, second] = [message(room), message(room)];
    await first.send(150 * KIB);
    await second.send(100 * KIB);
    expect([first.waits(), second.waits()]).toEqual([false, true]);
    first.end();
    expect(await first.read).toBe(150 * KIB);
    expect(second.waits(), 'it is the eldest that is still coming').toBe(false);
    room.leave(first.stream);
    await second.send(10 * KIB);
    second.end();
    expect(await second.read).toBe(110 * KIB);
  });

  it('counts a message until it is stored, and lets ordinary mail by', async () => {
    const room = new MessageRoom(200 * KIB);
    const [stored, eldest, large, small] = [message(room), message(room), message(room), message(room)];
    await stored.send(300 * KIB);
    stored.end();
    await stored.read;
    await eldest.send(70 * KIB);
    await large.send(70 * KIB);
    await small.send(50 * KIB);
    expect([eldest.waits(), large.waits(), small.waits()]).toEqual([false, true, false]);
    room.leave(stored.stream);
    expect(large.waits()).toBe(false);
  });

  it('does not let them wait for each other for ever', async () => {
    const room = new MessageRoom(100 * KIB);
    const all = Array.from({ length: 5 }, () => message(room));
    for (const one of all) await one.send(90 * KIB);
    expect(all.map((one) => one.waits())).toEqual([false, true, true, true, true]);
    for (const one of all) {
      expect(one.waits()).toBe(false);
      one.end();
      expect(await one.read).toBe(90 * KIB);
      room.leave(one.stream);
    }
  });

  it('refuses for now what has waited for too long, and takes its room back', async () => {
    const room = new MessageRoom(100 * KIB, 20);
    const [eldest, waiting] = [message(room), message(room)];
    await eldest.send(100 * KIB);
    await waiting.send(70 * KIB);
    await later(50);
    await waiting.send(1);
    expect(await waiting.read).toMatch(/^4\.3\.1 /);
    room.leave(eldest.stream);
    const next = message(room);
    await next.send(99 * KIB);
    expect(next.waits()).toBe(false);
  });

  it('takes the room of a cut and of a too large message back', async () => {
    const room = new MessageRoom(100 * KIB);
    const [cut, large] = [message(room), message(room)];
    await cut.send(100 * KIB);
    cut.stream.destroy();
    expect(await cut.read).toMatch(/^4\.4\.2 /);
    await large.send(80 * KIB);
    large.stream.sizeExceeded = true;
    await large.send(1);
    expect(await large.read).toMatch(/^5\.3\.4 /);
    const next = [message(room), message(room)];
    await next[0].send(10 * KIB);
    await next[1].send(80 * KIB);
    expect(next[1].waits()).toBe(false);
  });
});

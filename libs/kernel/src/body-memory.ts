const KIB = 1024;
/** Less is not worth it. */
const LEAST_BYTES = 32 * KIB;
/** Beyond it V8 counts again: what is dead must be given back at some time. */
const UNCOUNTED_BYTES = 64 * KIB * KIB;

let uncounted = 0;
const givenBack = new FinalizationRegistry<number>((bytes) => (uncounted -= bytes));

/**
 * Memory for the octets of one message, to be filled.
 *
 * V8 adds up the memory of buffers and marks the whole heap each time 64 MB more have come, in steps of up to ten
 * milliseconds, although buffers of messages are dead by the next scavenge: at 100 KB a message that was a fourth of all
 * processor time. Shared memory it does not count.
 */
export function bodyMemory(bytes: number): Buffer {
  if (bytes < LEAST_BYTES || uncounted + bytes > UNCOUNTED_BYTES) return Buffer.allocUnsafe(bytes);
  const memory = new SharedArrayBuffer(bytes);
  uncounted += bytes;
  givenBack.register(memory, bytes);
  return Buffer.from(memory);
}

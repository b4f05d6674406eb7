const KIB = 1024;
/** Less is not worth it; more is left to V8's account, which bounds what is dead and not yet given back. */
const LEAST_BYTES = 32 * KIB;
const MOST_BYTES = 256 * KIB;

/**
 * Memory for the octets of one message, to be filled.
 *
 * V8 adds up the memory of buffers and marks the whole heap each time 64 MB more have come, although buffers of messages
 * are dead by the next scavenge: at 100 KB a message that was a third of all processor time. Shared memory does not count.
 */
export function bodyMemory(bytes: number): Buffer {
  const isCounted = bytes < LEAST_BYTES || bytes > MOST_BYTES;
  return isCounted ? Buffer.allocUnsafe(bytes) : Buffer.from(new SharedArrayBuffer(bytes));
}

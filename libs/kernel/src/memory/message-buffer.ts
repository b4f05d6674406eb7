const KIB = 1024;
/** Smaller buffers use ordinary memory. */
const MIN_SHARED_BYTES = 32 * KIB;
/** Beyond this total V8 must count the memory, so that it is released at some time. */
const MAX_SHARED_BYTES = 64 * KIB * KIB;

let sharedBytes = 0;
const onRelease = new FinalizationRegistry<number>((bytes) => (sharedBytes -= bytes));

/**
 * An uninitialised buffer for the octets of one message.
 *
 * V8 sums up the memory of buffers and marks the whole heap after every 64 MB, in steps of up to ten milliseconds, although
 * buffers of messages are released by the next scavenge: a quarter of the processor time at 100 KB per message. V8 does not
 * count shared memory.
 */
export function messageBuffer(bytes: number): Buffer {
  if (bytes < MIN_SHARED_BYTES || sharedBytes + bytes > MAX_SHARED_BYTES) return Buffer.allocUnsafe(bytes);
  const memory = new SharedArrayBuffer(bytes);
  sharedBytes += bytes;
  onRelease.register(memory, bytes);
  return Buffer.from(memory);
}

import { describe, expect, it } from 'vitest';
import { messageBuffer } from './message-buffer.js';

const KIB = 1024;
const MIB = KIB * KIB;
const isCounted = (buffer: Buffer): boolean => buffer.buffer instanceof ArrayBuffer;

describe('messageBuffer', () => {
  it('returns separate memory that V8 does not count, for large buffers', () => {
    const before = process.memoryUsage().external;
    const bodies = Array.from({ length: 20 }, () => messageBuffer(100 * KIB));
    expect(process.memoryUsage().external - before).toBeLessThan(MIB);
    bodies.forEach((body, i) => body.fill(i));
    bodies.forEach((body, i) => {
      expect(body).toHaveLength(100 * KIB);
      expect(body.every((octet) => octet === i)).toBe(true);
    });
    expect(isCounted(messageBuffer(5 * KIB))).toBe(true);
  });

  it('returns counted memory while much has not been released', () => {
    const bodies = Array.from({ length: 10 }, () => messageBuffer(10 * MIB));
    expect(bodies.filter((body) => !isCounted(body)).length).toBeLessThanOrEqual(6);
    expect(bodies.every((body) => body.length === 10 * MIB)).toBe(true);
  });
});

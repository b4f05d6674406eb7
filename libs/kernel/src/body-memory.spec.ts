import { describe, expect, it } from 'vitest';
import { bodyMemory } from './body-memory.js';

const KIB = 1024;
const MIB = KIB * KIB;
const isCounted = (buffer: Buffer): boolean => buffer.buffer instanceof ArrayBuffer;

describe('bodyMemory', () => {
  it('is memory of its own that V8 does not count, where it is worth it', () => {
    const before = process.memoryUsage().external;
    const bodies = Array.from({ length: 20 }, () => bodyMemory(100 * KIB));
    expect(process.memoryUsage().external - before).toBeLessThan(MIB);
    bodies.forEach((body, i) => body.fill(i));
    bodies.forEach((body, i) => {
      expect(body).toHaveLength(100 * KIB);
      expect(body.every((octet) => octet === i)).toBe(true);
    });
    expect(isCounted(bodyMemory(5 * KIB))).toBe(true);
  });

  it('is counted when much of it has not been given back', () => {
    const bodies = Array.from({ length: 10 }, () => bodyMemory(10 * MIB));
    expect(bodies.filter((body) => !isCounted(body)).length).toBeLessThanOrEqual(6);
    expect(bodies.every((body) => body.length === 10 * MIB)).toBe(true);
  });
});

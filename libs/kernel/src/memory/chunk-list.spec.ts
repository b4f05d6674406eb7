import { describe, expect, it } from 'vitest';
import { ChunkList } from './chunk-list.js';

describe('ChunkList', () => {
  it('keeps the bytes in their order', () => {
    const list = new ChunkList();
    const pieces = [3, 5_000, 1, 4_095, 4_096, 4_097, 2].map((bytes, i) => Buffer.alloc(bytes, i));
    for (const piece of pieces) list.push(piece);
    expect(Buffer.concat(list.take()).equals(Buffer.concat(pieces))).toBe(true);
    expect(list.take()).toEqual([]);
  });

  it('keeps large chunks and a single one without a copy', () => {
    const list = new ChunkList();
    const [small, large] = [Buffer.alloc(10), Buffer.alloc(4_096)];
    list.push(small);
    list.push(large);
    const kept = list.take();
    expect([kept[0] === small, kept[1] === large]).toEqual([true, true]);
  });

  it('copies single bytes together', () => {
    const list = new ChunkList();
    for (let i = 0; i < 100_000; i += 1) list.push(Buffer.alloc(1, i));
    expect(list.take().length).toBeLessThan(30);
  });
});

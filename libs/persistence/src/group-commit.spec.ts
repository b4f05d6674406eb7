import { describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.js';

describe('GroupCommit', () => {
  it('commits a single item immediately; items that arrive meanwhile share the next commit', async () => {
    const groups: number[][] = [];
    let finish: () => void = () => undefined;
    const group = new GroupCommit<number, number>({
      maxItems: 10,
      commit: async (items) => {
        groups.push(items);
        if (groups.length === 1) await new Promise<void>((resolve) => (finish = resolve));
        return items.map((item) => item * 2);
      },
    });
    const first = group.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const others = [2, 3, 4].map((item) => group.add(item));
    expect(groups).toEqual([[1]]);
    finish();
    expect(await first).toBe(2);
    expect(await Promise.all(others)).toEqual([4, 6, 8]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
  });

  it('limits groups by count and bytes, and commits a larger item alone', async () => {
    const groups: number[][] = [];
    const group = new GroupCommit<number, void>({
      maxItems: 3,
      maxBytes: 10,
      sizeOf: (item) => item,
      commit: async (items) => {
        groups.push(items);
        return items.map(() => undefined);
      },
    });
    await Promise.all([1, 1, 1, 1, 8, 50, 5, 5, 5].map((item) => group.add(item)));
    expect(groups).toEqual([[1, 1, 1], [1, 8], [50], [5, 5], [5]]);
  });

  it('rejects one item alone, and all items when the commit fails', async () => {
    const group = new GroupCommit<string, string>({
      maxItems: 10,
      commit: async (items) => {
        if (items.includes('broken')) throw new Error('commit failed');
        return items.map((item) => (item === 'bad' ? new Error('refused') : item));
      },
    });
    const results = await Promise.allSettled([group.add('good'), group.add('bad')]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected']);
    expect((await Promise.allSettled([group.add('a'), group.add('broken')])).map((result) => result.status)).toEqual([
      'rejected',
      'rejected',
    ]);
    expect(await group.add('after')).toBe('after');
    await group.drained();
    expect(group.pending).toBe(0);
  });

  it('waits for as many items as the last group had, but not after a single item', async () => {
    const groups: number[] = [];
    const group = new GroupCommit<number, void>({
      maxItems: 10,
      concurrentGatherMs: 60_000,
      commit: async (items) => {
        groups.push(items.length);
        return items.map(() => undefined);
      },
    });
    await group.add(1);
    await group.add(2);
    await Promise.all([1, 2, 3].map((item) => group.add(item)));
    expect(groups).toEqual([1, 1, 3]);
    const several = [1, 2].map((item) => group.add(item));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(groups).toEqual([1, 1, 3]);
    await Promise.all([...several, group.add(3)]);
    expect(groups).toEqual([1, 1, 3, 3]);
    await Promise.all([1, 2, 3, 4].map((item) => group.add(item)));
    expect(groups).toEqual([1, 1, 3, 3, 4]);
  });
});

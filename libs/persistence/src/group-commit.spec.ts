import { describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.js';

describe('GroupCommit', () => {
  it('commits a lone caller at once and lets whoever waits share the next commit', async () => {
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

  it('keeps groups within count and bytes, and lets one large item go alone', async () => {
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

  it('refuses one item without its neighbours, and all of them when the commit fails', async () => {
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

  it('lets a crowd gather for the next commit until as many are back, but no lone caller', async () => {
    const groups: number[] = [];
    const group = new GroupCommit<number, void>({
      maxItems: 10,
      crowdMs: 60_000,
      commit: async (items) => {
        groups.push(items.length);
        return items.map(() => undefined);
      },
    });
    await group.add(1);
    await group.add(2);
    await Promise.all([1, 2, 3].map((item) => group.add(item)));
    expect(groups).toEqual([1, 1, 3]);
    const crowd = [1, 2].map((item) => group.add(item));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(groups).toEqual([1, 1, 3]);
    await Promise.all([...crowd, group.add(3)]);
    expect(groups).toEqual([1, 1, 3, 3]);
    await Promise.all([1, 2, 3, 4].map((item) => group.add(item)));
    expect(groups).toEqual([1, 1, 3, 3, 4]);
  });

  describe('what is left for afterwards', () => {
    const steps: string[] = [];
    let finish: () => void = () => undefined;
    const group = new GroupCommit<string, void>({
      maxItems: 10,
      commit: async (items) => {
        steps.push(`commit ${items.join('')}`);
        await new Promise<void>((resolve) => (finish = resolve));
        return items.map(() => undefined);
      },
    });
    const add = (items: string) =>
      Promise.all(
        [...items].map(async (item) => {
          await group.add(item);
          steps.push(`answer ${item}`);
          group.afterwards(() => steps.push(`after ${item}`));
        }),
      );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    /** Lets the commit that is under way, or begins in this turn, end. */
    async function commit(): Promise<void> {
      await turn();
      finish();
      await turn();
    }

    it('comes in the next turn for a lone caller', async () => {
      void add('a');
      await commit();
      await turn();
      expect(steps.splice(0)).toEqual(['commit a', 'answer a', 'after a']);
    });

    it('waits in a crowd for the next commit to begin, not to end', async () => {
      void add('abc');
      await turn();
      void add('d');
      await commit();
      await turn();
      expect(steps.splice(0)).toEqual([
        ...['commit abc', 'answer a', 'answer b', 'answer c'],
        ...['commit d', 'after a', 'after b', 'after c'],
      ]);
      await commit();
      await turn();
      expect(steps.splice(0)).toEqual(['answer d', 'after d']);
    });

    it('does not wait long for a commit that does not come, and not at all at the end', async () => {
      void add('abc');
      await commit();
      await turn();
      expect(steps.splice(0)).toEqual(['commit abc', 'answer a', 'answer b', 'answer c']);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(steps.splice(0)).toEqual(['after a', 'after b', 'after c']);
      void add('def');
      await turn();
      const drained = group.drained();
      finish();
      await drained;
      expect(steps.splice(0)).toEqual([
        'commit def',
        ...[...'def'].map((c) => `answer ${c}`),
        ...[...'def'].map((c) => `after ${c}`),
      ]);
    });
  });
});

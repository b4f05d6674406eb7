import { describe, expect, it } from 'vitest';
import { UnfinishedRequests } from './unfinished-requests.js';

describe('UnfinishedRequests', () => {
  it('closes the oldest first, and none that has ended', () => {
    const closed: string[] = [];
    const requests = new UnfinishedRequests();
    for (const name of ['a', 'b', 'c', 'd']) requests.begin(name, () => closed.push(name));
    requests.end('b');
    requests.begin('a', () => closed.push('a'));
    const results = Array.from({ length: 4 }, () => requests.closeOldest());
    expect(closed).toEqual(['c', 'd', 'a']);
    expect(results).toEqual([true, true, true, false]);
  });

  it('closes those that have waited longer than a time', () => {
    let now = 0;
    const closed: string[] = [];
    const requests = new UnfinishedRequests(() => now);
    for (const name of ['a', 'b', 'c']) {
      requests.begin(name, () => closed.push(name));
      now += 1_000;
    }
    requests.closeLongerThan(2_000);
    expect(closed).toEqual(['a', 'b']);
    expect(requests.size).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { ConnectionCounts } from './connection-counts.js';

const enter = (counts: ConnectionCounts, ...addresses: string[]) => addresses.map((address) => counts.enter(address));

describe('ConnectionCounts', () => {
  it('refuses what is beyond the share of an address, cuts what is beyond twice that, and serves the others', () => {
    const counts = new ConnectionCounts(2);
    expect(enter(counts, 'a', 'a', 'a', 'a', 'a', 'b')).toEqual(['serve', 'serve', 'refuse', 'refuse', 'cut', 'serve']);
  });

  it('takes a /64 for one client', () => {
    const counts = new ConnectionCounts(1);
    expect(enter(counts, '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1')).toEqual(['serve', 'refuse', 'serve']);
  });

  it('serves again when somebody has left', () => {
    const counts = new ConnectionCounts(1);
    enter(counts, 'a', 'a');
    counts.leave('a');
    counts.leave('a');
    expect(enter(counts, 'a')).toEqual(['serve']);
  });

  it('refuses everybody beyond what the process can hold', () => {
    const counts = new ConnectionCounts(10, 2);
    expect(enter(counts, 'a', 'b', 'c', 'd', 'e')).toEqual(['serve', 'serve', 'refuse', 'refuse', 'cut']);
  });
});

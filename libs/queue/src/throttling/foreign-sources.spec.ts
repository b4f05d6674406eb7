import { expect, it } from 'vitest';
import { foreignSources } from './foreign-sources.js';

it('names the source addresses that this machine does not have, each once', async () => {
  const of = (...addresses: string[]) => addresses.map((address) => ({ address, heloName: 'smtp.example.org' }));
  const pools = [
    { name: 'one', sources: of('127.0.0.1', '192.0.2.1') },
    { name: 'two', sources: of('127.0.0.77', '192.0.2.1', '2001:db8::1') },
  ];
  expect(await foreignSources({ pools: pools.slice(0, 1), penaltyPool: pools[1] })).toEqual([
    '192.0.2.1',
    '2001:db8::1',
  ]);
});

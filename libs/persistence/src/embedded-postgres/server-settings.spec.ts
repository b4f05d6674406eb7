import { expect, it } from 'vitest';
import { serverArguments, sharedBuffers } from './server-settings.js';

const GIB = 1024 ** 3;

it.each([
  [1, '128MB'],
  [4, '128MB'],
  [8, '256MB'],
  [15.5, '496MB'],
  [64, '512MB'],
])('gives the buffers of a machine with %d GiB %s', (gib, buffers) => {
  expect(sharedBuffers(gib * GIB)).toBe(buffers);
});

it('lets settings of the cluster override the others', () => {
  expect(serverArguments({ port: '1', timezone: 'Asia/Tokyo' })).toEqual(
    expect.arrayContaining(['port=1', 'timezone=Asia/Tokyo', 'fsync=on']),
  );
  expect(serverArguments({ timezone: 'Asia/Tokyo' })).not.toContain('timezone=UTC');
});

import { expect, it } from 'vitest';
import { providerLabel } from './providers.ts';

it.each([
  ['microsoft', 'Microsoft'],
  ['outlook', 'Microsoft'],
  ['gmx', 'United Internet'],
  ['united_internet', 'United Internet'],
  ['t-online', 'Telekom'],
  ['telekom', 'Telekom'],
  ['domain:example.com', 'example.com'],
  ['example.com', 'example.com'],
  ['constructor', 'constructor'],
])('%s is %s', (name, label) => {
  expect(providerLabel(name)).toBe(label);
});

import { expect, it } from 'vitest';
import { withoutScheme } from './link-pattern.ts';

it.each([
  ['https://example.com/reset/*', 'example.com/reset/*'],
  [' HTTP://login.example.com ', 'login.example.com'],
  ['*.example.com', '*.example.com'],
  ['example.com/?next=https://other.example', 'example.com/?next=https://other.example'],
])('reads %j as the pattern %s', (text, pattern) => {
  expect(withoutScheme(text)).toBe(pattern);
});

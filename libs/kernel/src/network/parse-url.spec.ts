import { expect, it } from 'vitest';
import { parseUrl } from './parse-url.js';

it('reads URLs, with and without a base, and nothing else', () => {
  expect(parseUrl('https://example.com/a')?.host).toBe('example.com');
  expect(parseUrl('/a', 'https://example.com/b')?.href).toBe('https://example.com/a');
  for (const text of ['', '/a', 'example.com', 'http://[::1', 'https://exa mple.com/'])
    expect(parseUrl(text), text).toBeNull();
});

it('reads letters of Latin-1 however often it is called', () => {
  // Text from a request is one octet a character, unlike literals in a source file.
  const urls = Array.from({ length: 8 }, (_, i) => JSON.parse(`"https://bücher.example/é${i}"`) as string);
  let missing = 0;
  for (let i = 0; i < 100_000; i += 1) if (parseUrl(urls[i % 8]) === null) missing += 1;
  expect(missing).toBe(0);
});

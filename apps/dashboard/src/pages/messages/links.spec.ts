import { describe, expect, it } from 'vitest';
import { isWebLink, looksLikeAnotherHost, textLinks } from './links.ts';

describe('textLinks', () => {
  it.each([
    ['See https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
    ['(https://example.com/a), "http://example.org/b"!', ['https://example.com/a', 'http://example.org/b']],
    ['<https://example.com> and https://example.com', ['https://example.com']],
    ['HTTPS://EXAMPLE.COM/A', ['HTTPS://EXAMPLE.COM/A']],
    ['mailto:a@example.com www.example.com xhttp://example.com', []],
    ['', []],
  ])('finds the addresses in %j', (text, urls) => {
    expect(textLinks(text)).toEqual(urls.map((url) => ({ url, text: '' })));
  });
});

describe('isWebLink', () => {
  it.each([
    ['https://example.com', true],
    ['HTTP://example.com', true],
    ['mailto:a@example.com', false],
    ['//example.com', false],
    ['/path', false],
  ])('%s: %s', (url, expected) => {
    expect(isWebLink({ url, text: '' })).toBe(expected);
  });
});

describe('looksLikeAnotherHost', () => {
  it.each([
    ['https://evil.example/login', 'https://bank.example.com/login', true],
    ['https://evil.example', 'bank.example.com', true],
    ['https://evil.example', 'WWW.Bank.example.com:443/x', true],
    ['https://www.bank.example.com/x', 'bank.example.com', false],
    ['https://BANK.example.com', 'https://bank.example.com/x?y', false],
    ['https://evil.example', 'Log in to bank.example.com', false],
    ['https://evil.example', 'Log in', false],
    ['https://evil.example', '', false],
    ['mailto:a@evil.example', 'bank.example.com', false],
    ['not an address', 'bank.example.com', false],
  ])('%s shown as %j: %s', (url, text, expected) => {
    expect(looksLikeAnotherHost({ url, text })).toBe(expected);
  });
});

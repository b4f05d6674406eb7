import { describe, expect, it } from 'vitest';
import { isPublicUrl } from './metrics-access.js';

describe('isPublicUrl', () => {
  it.each([
    'http://localhost:3000',
    'http://LOCALHOST',
    'http://post.localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://192.168.1.7',
    'http://[fd00::1]',
    'http://postloft:3000',
    'https://post.internal',
    'https://post.local.',
    'https://api.postloft.test',
    'https://post.home.arpa',
  ])('is false of %s', (url) => {
    expect(isPublicUrl(url)).toBe(false);
  });

  it.each([
    'https://post.example.org',
    'https://post.example.org.',
    'http://8.8.8.8:3000',
    'http://134744072',
    'https://[2606:4700::1111]',
    'https://localhost.example.org',
    'https://internal.org',
  ])('is true of %s', (url) => {
    expect(isPublicUrl(url)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { loggedUserAgent } from './request-log-user-agent.js';

describe('the user agent of a logged request', () => {
  it.each([
    ['resend-node:6.0.0', 'resend-node:6.0.0'],
    ['Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101', 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101'],
    ['shop/1.2 (mailto:admin@example.com)', 'shop/1.2 (mailto::address)'],
    ['shop <admin%40example.com>', 'shop <:address>'],
    ['curl pl_live_4fGh0sT2kLmN8pQrStUvWxYz01234567aBcDeF', 'curl :secret'],
    ['bootstrap-key-0123456789', ':secret'],
    ['a-very-long-name-of-a-program', 'a-very-long-name-of-a-program'],
    [`${'word '.repeat(51)}admin@example.com`, 'word '.repeat(51).trim()],
    ['x'.repeat(300), null],
    ['', null],
    [undefined, null],
  ])('of %j is %j', (header, shown) => expect(loggedUserAgent(header)).toBe(shown));
});

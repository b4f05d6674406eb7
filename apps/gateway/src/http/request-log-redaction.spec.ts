import { describe, expect, it } from 'vitest';
import { redactedPath, redactedUserAgent } from './request-log-redaction.js';

const EMAIL = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const ATTACHMENT = 'att_01978c0e5f7b7c3a9d21f0b64c1e88ab';
const UUID = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';

const routed = (pattern: string, params: Record<string, string> = {}) =>
  redactedPath({ is404: false, url: '/whatever?a=b', params, routeOptions: { url: pattern } });
const unknown = (url: string) => redactedPath({ is404: true, url, params: {}, routeOptions: {} });

describe('the path of a logged request', () => {
  it('is the path of its route, without the query', () => {
    expect(routed('/emails/batch')).toBe('/emails/batch');
  });

  it('keeps native ids and ids of the Resend API', () => {
    expect(routed('/emails/:id/attachments/:attachmentId', { id: EMAIL, attachmentId: ATTACHMENT })).toBe(
      `/emails/${EMAIL}/attachments/${ATTACHMENT}`,
    );
    expect(routed('/resend/emails/:id', { id: UUID })).toBe(`/resend/emails/${UUID}`);
  });

  it.each(['user@example.com', '', 'pl_live_abcdefgh0123456789', `${EMAIL}x`, 'a$&b'])(
    'contains the name of the parameter instead of %j',
    (email) => expect(routed('/suppressions/:email', { email })).toBe('/suppressions/:email'),
  );

  it.each([
    ['/email', '/email'],
    ['/', '/'],
    ['/v2/emails?key=pl_live_x', '/v2/emails'],
    [`/emails/${EMAIL}/nothing`, `/emails/${EMAIL}/nothing`],
    ['/users/user@example.com', '/users/:text'],
    ['/users/user%40example.com/', '/users/:text/'],
    ['/pl_live_abcdefgh0123456789', '/:text'],
    ['/UPPER', '/:text'],
    [`/${'a'.repeat(25)}`, '/:text'],
    ['/a'.repeat(2000), `${'/a'.repeat(8)}/…`],
    ['/a'.repeat(8), '/a'.repeat(8)],
  ])('of an unknown route contains words and ids only: %s', (url, shown) => expect(unknown(url)).toBe(shown));
});

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
  ])('of %j is %j', (header, shown) => expect(redactedUserAgent(header)).toBe(shown));
});

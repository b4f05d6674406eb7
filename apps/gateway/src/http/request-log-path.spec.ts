import { describe, expect, it } from 'vitest';
import { loggedPath } from './request-log-path.js';

const EMAIL = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const ATTACHMENT = 'att_01978c0e5f7b7c3a9d21f0b64c1e88ab';
const UUID = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';

const routed = (pattern: string, params: Record<string, string> = {}) =>
  loggedPath({ is404: false, url: '/whatever?a=b', params, routeOptions: { url: pattern } });
const unknown = (url: string) => loggedPath({ is404: true, url, params: {}, routeOptions: {} });

describe('the path of a logged request', () => {
  it('is that of its route, without the query', () => {
    expect(routed('/emails/batch')).toBe('/emails/batch');
  });

  it('keeps ids in both ways of writing them', () => {
    expect(routed('/emails/:id/attachments/:attachmentId', { id: EMAIL, attachmentId: ATTACHMENT })).toBe(
      `/emails/${EMAIL}/attachments/${ATTACHMENT}`,
    );
    expect(routed('/resend/emails/:id', { id: UUID })).toBe(`/resend/emails/${UUID}`);
  });

  it.each(['user@example.com', '', 'pl_live_abcdefgh0123456789', `${EMAIL}x`, 'a$&b'])(
    'has the name of the place where %j stood',
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
  ])('of no route shows words and ids only: %s', (url, shown) => expect(unknown(url)).toBe(shown));
});

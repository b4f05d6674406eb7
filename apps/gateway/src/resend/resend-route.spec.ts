import { describe, expect, it } from 'vitest';
import { resendHostUrl } from './resend-route.js';

const HOST = 'api.example.com';

describe('resendHostUrl', () => {
  it.each([
    ['/emails', HOST, '/resend/emails'],
    ['/emails?after=/resend', 'API.example.com:8443', '/resend/emails?after=/resend'],
    ['/resend/emails', HOST, '/resend/emails'],
    ['/resend?x', HOST, '/resend?x'],
    ['/resendings', HOST, '/resend/resendings'],
    ['/', HOST, '/resend/'],
    ['/emails', 'www.example.com', '/emails'],
    ['/emails', 'api.example.com.example.org', '/emails'],
    ['/emails', undefined, '/emails'],
  ])('routes %s with the host %s as %s', (routed, host, meant) =>
    expect(resendHostUrl(routed, host, HOST)).toBe(meant),
  );

  it('changes nothing without RESEND_HOST', () => {
    expect(resendHostUrl('/emails', undefined, undefined)).toBe('/emails');
    expect(resendHostUrl('/emails', HOST, undefined)).toBe('/emails');
  });
});

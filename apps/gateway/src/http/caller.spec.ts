import type { IncomingMessage } from 'node:http';
import { fastify } from 'fastify';
import { trustedProxies } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { clientAddress, setClientAddress } from './caller.js';

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('clientAddress', () => {
  it.each([
    ['off', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
    ['off', '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['off', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['on', '127.0.0.1', '203.0.113.9, 198.51.100.1', '203.0.113.9'],
    ['on', '127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['loopback, 10.0.0.0/8', '127.0.0.1', '6.6.6.6, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['127.0.0.1', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['127.0.0.1', '127.0.0.1', '6.6.6.6 , , 203.0.113.9 ,', '203.0.113.9'],
    ['127.0.0.1', '127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1', ' , ,', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1', '203.0.113.9:51234', '203.0.113.9'],
    ['127.0.0.1', '127.0.0.1', '203.0.113.9, 127.0.0.1:443', '203.0.113.9'],
    ['127.0.0.1', '127.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['127.0.0.1', '127.0.0.1', '"[2001:DB8::7]:443"', '2001:db8::7'],
    ['127.0.0.1', '127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['linklocal', 'fe80::1%eth0', '203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['on', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['on', '127.0.0.1', '6.6.6.6, any text, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.1, 10.0.0.0/8', '127.0.0.1', '6.6.6.6, unknown, 10.1.2.3', '10.1.2.3'],
  ])('with TRUST_PROXY=%s from %s and "%s" is %s', async (setting, remote, forwarded, client) => {
    const trusts = trustedProxies(setting);
    expect(clientAddress(from(remote, forwarded), trusts)).toBe(client);
    const server = fastify({ trustProxy: setting === 'off' ? false : trusts });
    server.addHook('onRequest', (request, _reply, done) => {
      setClientAddress(request, trusts);
      done();
    });
    server.get('/', (request) => request.ip);
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    expect((await server.inject({ url: '/', remoteAddress: remote, headers })).body).toBe(client);
  });

  it('trusts no proxy by its name', () => {
    expect(() => trustedProxies('proxy.example')).toThrow('"proxy.example" is not a network');
  });
});

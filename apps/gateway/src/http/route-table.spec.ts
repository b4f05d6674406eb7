import { describe, expect, it } from 'vitest';
import { RouteTable, routedUrl } from './route-table.js';

describe('routedUrl', () => {
  it.each([
    ['/emails', '/emails'],
    ['/v1/emails', '/emails'],
    ['/v1/emails/em_1?x=//a', '/emails/em_1?x=//a'],
    ['//v1//emails', '/emails'],
    ['/v1', '/'],
    ['/v1?a=1', '/?a=1'],
    ['/v1beta/emails', '/v1beta/emails'],
    ['/v1/v1/emails', '/v1/emails'],
    ['/', '/'],
    ['*', '*'],
    ['//', '/'],
  ])('routes %s as %s', (target, routed) => {
    expect(routedUrl(target)).toBe(routed);
  });
});

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add({ method: 'POST', url: '/emails' });
  table.add({ method: ['GET', 'HEAD'], url: '/emails/:id' });
  table.add({ method: 'GET', url: '/captured/:id/raw' });

  it.each([
    ['/emails', ['POST']],
    ['/emails?x=1', ['POST']],
    ['/emails/em_1', ['GET', 'HEAD']],
    ['/captured/cap_1/raw', ['GET']],
    ['/%65mails', ['POST']],
    ['/emails#x', ['POST']],
    ['/emails%2fem_1', []],
    ['/emails/%', ['GET', 'HEAD']],
    ['/emails/', []],
    ['/nowhere', []],
  ])('knows the methods of %s', (path, methods) => {
    expect(table.methodsFor(path)).toEqual(methods);
  });
});

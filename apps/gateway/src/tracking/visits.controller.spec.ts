import { TrackingLinks } from '#libs/tracking';
import type { EarlierLinks, RecordVisits } from '#libs/emails';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AddressLimit } from './address-limit.js';
import { VisitsController } from './visits.controller.js';

const BASE = 'https://track.shop.example';
const TARGET = 'https://shop.example/a?b=1#c';
const EVIL = 'https://evil.example/';
const key = (byte: number) => new TrackingLinks(Buffer.alloc(32, byte));
const recipient = { emailId: 'em_018f4c2e7b3a7cc19f0e123456789abc', ordinal: 0 };
const link = { ...recipient, index: 0, target: TARGET };
const HOST = new URL(BASE).host;
const tokenOf = (url: string | null) => (url ?? '').slice(`${BASE}/t/c/`.length);

describe('VisitsController', () => {
  let app: FastifyInstance;
  const visits: unknown[] = [];
  const token = tokenOf(key(7).clickUrl(BASE, link));
  beforeAll(() => {
    const recorder = { add: (visit: unknown) => visits.push(visit) } as unknown as RecordVisits;
    // The limit on requests with invalid tokens would answer most of these.
    const limit = { take: () => undefined } as unknown as AddressLimit;
    const earlier = { readClick: () => Promise.resolve(null) } as unknown as EarlierLinks;
    const controller = new VisitsController(key(7), earlier, recorder, limit);
    app = Fastify();
    app.get('/t/o/*', (request, reply) => controller.open(request, reply));
    app.get('/t/c/*', (request, reply) => controller.click(request, reply));
  });

  const visit = async (url: string, headers: InjectOptions['headers'] = {}) =>
    app.inject({ method: 'GET', url, headers: { host: HOST, ...headers } });

  it('redirects to the target of a link of its own, whatever else the request has', async () => {
    visits.length = 0;
    for (const suffix of ['', `?url=${EVIL}`, '?u=//evil.example', `?${EVIL}`])
      for (const headers of [{}, { 'x-forwarded-host': 'evil.example' }, { referer: EVIL }]) {
        const { statusCode, headers: answered } = await visit(`/t/c/${token}${suffix}`, headers);
        expect([statusCode, answered.location]).toEqual([302, TARGET]);
      }
    expect(visits).toHaveLength(12);
  });

  it('redirects on the host of the link only', async () => {
    visits.length = 0;
    for (const host of ['evil.example', 'post.example', `${HOST}.evil.example`, `x${HOST}`, 'shop.example']) {
      const { statusCode, headers } = await visit(`/t/c/${token}`, { host, 'x-forwarded-host': HOST });
      expect([host, statusCode, headers.location]).toEqual([host, 404, undefined]);
    }
    expect(visits).toEqual([]);
  });

  it('reads a token that a mail client or gateway has encoded or damaged at its end', async () => {
    const hex = (one: string) => `%${one.charCodeAt(0).toString(16)}`;
    const spellings = [token.replace(/[-_]/g, hex), token.replace(/./g, hex), `${token}=`, `${token}.`, `${token}%3E`];
    const open = key(7).openUrl('', recipient);
    for (const each of spellings) expect((await visit(`/t/c/${each}`)).headers.location).toBe(TARGET);
    for (const end of ['%2Egif', '.GIF', '.gif.', '.gif%22'])
      expect((await visit(open.replace('.gif', end))).statusCode).toBe(200);
    expect((await visit(open.replace('.gif', ''))).statusCode).toBe(404);
  });

  it('cannot be made to redirect elsewhere by 200 and more forged links', async () => {
    visits.length = 0;
    const forged = [...new Set(forgedTokens(token))].filter((one) => one !== token);
    expect(forged.length).toBeGreaterThan(200);
    for (const attempt of forged) {
      const { statusCode, headers } = await visit(`/t/c/${attempt}`);
      expect([attempt, [400, 404].includes(statusCode), headers.location]).toEqual([attempt, true, undefined]);
    }
    expect(visits).toEqual([]);
  });
});

function* forgedTokens(token: string): Generator<string> {
  const octets = Buffer.from(token, 'base64url');
  const [front, mac, target] = [octets.subarray(0, 19), octets.subarray(19, 35), octets.subarray(35)];
  const evil = Buffer.from(EVIL);
  // Each octet of the token, each character of its text.
  for (let at = 0; at < octets.length; at += 1) {
    const changed = Buffer.from(octets);
    changed[at] ^= 1 << (at % 8);
    yield changed.toString('base64url');
  }
  for (let at = 0; at < token.length; at += 1)
    yield `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
  // Another target, with the code of this one, a part of it, or none.
  const macs = [mac, Buffer.alloc(16), Buffer.alloc(16, 0xff), Buffer.concat([mac, mac]), Buffer.alloc(0)];
  for (const code of macs)
    for (const end of [evil, Buffer.concat([evil, target]), Buffer.concat([target, evil]), Buffer.alloc(0)])
      yield Buffer.concat([front, code, end]).toString('base64url');
  yield Buffer.concat([front, mac, Buffer.from('https://shop.example@evil.example/')]).toString('base64url');
  // Signed by somebody else, or for something else.
  yield tokenOf(key(8).clickUrl(BASE, { ...link, target: EVIL }));
  yield tokenOf(key(7).openUrl(BASE, recipient));
  yield tokenOf(key(7).openUrl(BASE, recipient)).replace('.gif', '');
  // Other text around the token, and addresses in its place.
  const pieces = ['=', 'A', '%00', '/', '%2F', '.', '%2e%2e/', '\\', '@', '%20', '%0d%0aLocation:%20//evil.example'];
  // At the end, some of these are damage of mail clients.
  const ending = (piece: string) => !['=', '.', '%20'].includes(piece);
  yield* pieces.flatMap((piece) => [piece + token, token.slice(0, 9) + piece + token.slice(9)]);
  yield* pieces.filter(ending).map((piece) => token + piece);
  yield* ['', token.slice(1), token.slice(0, -1), token.toLowerCase(), token.toUpperCase(), token + token];
  yield `%${token.charCodeAt(0).toString(16)}${token.slice(2)}`;
  yield* [EVIL, encodeURIComponent(EVIL), '//evil.example', '%2F%2Fevil.example', '/\\evil.example', '?url=' + EVIL];
  yield* [evil.toString('base64'), evil.toString('base64url'), evil.toString('hex')];
}

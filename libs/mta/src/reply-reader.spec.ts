import { describe, expect, it } from 'vitest';
import { MAX_REPLY_BYTES, ReplyReader } from './reply-reader.js';
import type { RawReply } from './reply-reader.js';
import { retryHint } from './retry-hint.js';
import { toServerReply } from './server-reply.js';
import { readExtensions } from './smtp-extensions.js';

function read(...chunks: (string | Buffer)[]): (RawReply | 'overflow')[] {
  const seen: (RawReply | 'overflow')[] = [];
  const reader = new ReplyReader(
    (reply) => seen.push(reply),
    () => seen.push('overflow'),
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return seen;
}

function codes(...chunks: (string | Buffer)[]) {
  return read(...chunks).map((seen) => (seen === 'overflow' ? seen : seen.code));
}

describe('replies', () => {
  const stream = '250-a\r\n250 b\r\n354 go\r\n550\r\n421-x\n421 y\n';

  it('are cut alike however the bytes arrive', () => {
    const whole = read(stream);
    expect(whole).toHaveLength(4);
    for (let at = 1; at < stream.length; at += 1) {
      expect(read(stream.slice(0, at), stream.slice(at))).toEqual(whole);
    }
    expect(read(...stream)).toEqual(whole);
    expect(codes(stream)).toEqual([250, 354, 550, 421]);
  });

  it.each([
    ['text', 'hello\r\n', [null]],
    ['a code of four digits', '2500 ok\r\n', [null]],
    ['a code out of range', '199 ok\r\n600 ok\r\n', [null, null]],
    ['an empty line', '\r\n', [null]],
    ['lines that disagree', '250-a\r\n550 b\r\n', [null]],
    ['lines of one kind', '250-a\r\n251 b\r\n', [251]],
    ['nothing yet', '250-a\r\n250', []],
  ])('%s', (_, text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  it('longer than 64 kB are cut, and nothing after them is read', () => {
    expect(codes(Buffer.alloc(MAX_REPLY_BYTES + 1, '2'), '250 ok\r\n')).toEqual(['overflow']);
    expect(codes('250-more\r\n'.repeat(7000), '250 ok\r\n')).toEqual(['overflow']);
  });
});

describe('the words of a reply', () => {
  it.each([
    ['250 2.0.0 Ok: queued as 1\r\n', { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 1' }],
    [
      '550-5.1.1 The account\r\n550-5.1.1 is gone\r\n550 5.1.1 x - y\r\n',
      { code: 550, enhanced: '5.1.1', text: 'The account is gone x - y' },
    ],
    ['550\r\n', { code: 550, enhanced: null, text: '' }],
    ['550 5.1.1\r\n', { code: 550, enhanced: '5.1.1', text: '' }],
    ['550 1.2.3.4 is listed\r\n', { code: 550, enhanced: null, text: '1.2.3.4 is listed' }],
    ['550 5.1.1 a\u001b[31mred\u0007\r\n', { code: 550, enhanced: '5.1.1', text: 'a [31mred' }],
  ])('%j', (raw, expected) => {
    const [reply] = read(raw);
    expect(reply === 'overflow' ? reply : toServerReply(reply)).toEqual(expected);
  });

  it('are cut at a thousand characters', () => {
    expect(toServerReply({ code: 550, raw: `550 ${'x'.repeat(60_000)}\r\n` }).text).toHaveLength(1000);
  });
});

describe('EHLO offers', () => {
  it('are read in any case and order', () => {
    const raw =
      '250-hi\r\n250-size 1000\r\n250-Auth PLAIN login\r\n250-AUTH=LOGIN\r\n250-X_ODD yes\r\n250 pipelining\r\n';
    const offers = readExtensions(raw);
    expect(offers).toMatchObject({ size: 1000, pipelining: true, startTls: false, eightBitMime: false });
    expect([...offers.auth].sort()).toEqual(['LOGIN', 'PLAIN']);
  });

  it.each([
    ['250-hi\r\n250 SIZE\r\n', 0],
    ['250-hi\r\n250 SIZE lots\r\n', 0],
    ['250-hi\r\n250 OK\r\n', null],
    ['250 SIZE 5\r\n', null],
  ])('SIZE in %j', (raw, expected) => {
    expect(readExtensions(raw).size).toBe(expected);
  });
});

describe('the wait that a server asks for', () => {
  it.each([
    ['greylisted, try again in 5 minutes', 300_000],
    ['Please retry after 90 seconds', 90_000],
    ['try again later', undefined],
    ['Greylisted for 1 hour', 3_600_000],
    ['retry=00:05:00', 300_000],
    ['wait 99999 hours', 24 * 3_600_000],
    ['error in 4711', undefined],
    ['in 0 seconds', undefined],
  ])('%s', (text, expected) => {
    expect(retryHint(text)).toBe(expected);
  });
});

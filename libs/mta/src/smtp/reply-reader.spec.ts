import { describe, expect, it } from 'vitest';
import { MAX_REPLY_BYTES, ReplyReader } from './reply-reader.js';
import type { RawReply } from './reply-reader.js';
import { retryHint } from '../replies/retry-hint.js';
import { toServerReply } from '../replies/server-reply.js';
import { readExtensions } from './extensions.js';

function read(...chunks: (string | Buffer)[]): (RawReply | 'overflow')[] {
  const seen: (RawReply | 'overflow')[] = [];
  const reader = new ReplyReader(
    (reply) => seen.push(reply),
    () => seen.push('overflow'),
  );
  for (const chunk of chunks) {
    const octets = Buffer.from(chunk);
    reader.push(octets);
    // The next read reuses the buffer.
    octets.fill('5');
  }
  return seen;
}

function codes(...chunks: (string | Buffer)[]) {
  return read(...chunks).map((seen) => (seen === 'overflow' ? seen : seen.code));
}

describe('replies', () => {
  const stream = '250-a\r\n250 b\r\n354 go\r\n550\r\n421-x\n421 y\n';

  it('are separated independently of how the bytes arrive', () => {
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

  it('longer than 64 kB end the reading', () => {
    expect(codes(Buffer.alloc(MAX_REPLY_BYTES + 1, '2'), '250 ok\r\n')).toEqual(['overflow']);
    expect(codes('250-more\r\n'.repeat(7000), '250 ok\r\n')).toEqual(['overflow']);
  });
});

describe('the text of a reply', () => {
  it.each([
    ['250 2.0.0 Ok: queued as 1\r\n', { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 1' }],
    [
      '550-5.1.1 The account\r\n550-5.1.1 is gone\r\n550 5.1.1 x - y\r\n',
      { code: 550, enhanced: '5.1.1', text: 'The account is gone x - y' },
    ],
    ['550\r\n', { code: 550, enhanced: null, text: '' }],
    ['550 5.1.1\r\n', { code: 550, enhanced: '5.1.1', text: '' }],
    ['550 1.2.3.4 is listed\r\n', { code: 550, enhanced: null, text: '1.2.3.4 is listed' }],
    ['550 #5.1.1 bad address\r\n', { code: 550, enhanced: '5.1.1', text: '#5.1.1 bad address' }],
    ['553 not here (#5.7.1)\r\n', { code: 553, enhanced: '5.7.1', text: 'not here (#5.7.1)' }],
    ['451 not now (#5.7.1)\r\n', { code: 451, enhanced: null, text: 'not now (#5.7.1)' }],
    ['550 gnp\u202egpj.exe\u2028x\ufeff\r\n', { code: 550, enhanced: null, text: 'gnp gpj.exe x' }],
    ['550-\r\n550-  a \r\n550 \r\n', { code: 550, enhanced: null, text: 'a' }],
    ['550 5.1.1 a\u001b[31mred\u0007\r\n', { code: 550, enhanced: '5.1.1', text: 'a [31mred' }],
  ])('%j', (raw, expected) => {
    const [reply] = read(raw);
    expect(reply === 'overflow' ? reply : toServerReply(reply)).toEqual(expected);
  });

  it('is shortened to a thousand characters', () => {
    expect(toServerReply({ code: 550, raw: `550 ${'x'.repeat(60_000)}\r\n` }).text).toHaveLength(1000);
    const lines = toServerReply({ code: 550, raw: '550-5.7.1 x\r\n'.repeat(6000) });
    expect(lines).toMatchObject({ enhanced: '5.7.1', text: expect.stringMatching(/^(?:x ){50}/) });
    expect(lines.text.length).toBeLessThanOrEqual(1000);
  });

  it('is never shortened within a character', () => {
    const raw = `550 ${'x'.repeat(498)}\u{1f4ee}${'y'.repeat(600)}\u{1f4ee}${'z'.repeat(499)}\r\n`;
    expect(toServerReply({ code: 550, raw }).text).toBe(`${'x'.repeat(498)}…${'z'.repeat(499)}`);
  });

  it('keeps its end, where the reason often is', () => {
    const raw = '550-5.7.1 a long notice\r\n'.repeat(500) + '550 5.7.1 blocked\r\n';
    expect(toServerReply({ code: 550, raw }).text).toMatch(/^a long notice .*….* a long notice blocked$/);
  });
});

describe('EHLO extensions', () => {
  it('are parsed in any case and order', () => {
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

describe('the wait that a server requests', () => {
  it.each([
    ['greylisted, try again in 5 minutes', 300_000],
    ['Please retry after 90 seconds', 90_000],
    ['try again later', undefined],
    ['Greylisted for 1 hour', 3_600_000],
    ['retry=00:05:00', 300_000],
    ['wait 99999 hours', 24 * 3_600_000],
    ['error in 4711', undefined],
    ['in 0 seconds', undefined],
    ['try again in 0 seconds', undefined],
    ['try again in 1 second', 5_000],
    ['timed out after 300 seconds', undefined],
    ['in 5 minutes you may try again', 300_000],
    ['100 messages in 5 minutes, try again later', undefined],
    ['more than 100 messages in 60 seconds, try again later', undefined],
    ['wait and send it once more', undefined],
    ['try again in half an hour', 1_800_000],
    ['try again after 2 days', 24 * 3_600_000],
    ['bitte in 10 Minuten erneut versuchen', 600_000],
    ['bitte versuchen Sie es in 10 Minuten erneut', 600_000],
    ['\u8bf7\u7a0d\u540e\u91cd\u8bd5', undefined],
    [`${'try again '.repeat(200)}in 5 minutes`, 300_000],
    [`${'x '.repeat(300)}try again in 5 minutes${' x'.repeat(300)}`, undefined],
  ])('%s', (text, expected) => {
    expect(retryHint(text)).toBe(expected);
  });

  it.each([
    ['retry after 2026-01-01T12:10:00Z', 600_000],
    ['retry after 2026-01-01 13:10:00 +01:00', 600_000],
    ['not before 1 Jan 2026 12:10:00 GMT', 600_000],
    ['retry after 2026-01-01T12:10:00', undefined],
    ['retry after 2026-01-01T11:59:00Z', undefined],
    ['retry after 2036-01-01T00:00:00Z', 24 * 3_600_000],
    ['retry after 2026-99-99T12:10:00Z', undefined],
  ])('%s, at noon of that day', (text, expected) => {
    expect(retryHint(text, Date.parse('2026-01-01T12:00:00Z'))).toBe(expected);
  });
});

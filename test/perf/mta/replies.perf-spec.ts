import { describe, expect, it } from 'vitest';
import { classifyReply } from '#libs/mta';
import { REPLY_RULES } from '../../../libs/mta/src/replies/reply-rules.js';
import { REPLY_PHRASES } from '../../../libs/mta/src/replies/reply-phrases.js';
import { RETRY_PATTERNS } from '../../../libs/mta/src/replies/retry-hint.js';
import { NAME_PATTERNS } from '../../../libs/mta/src/replies/reply-text.js';
import { cost } from '../../support/timing/cost.js';
import { at, CourierFixture } from '../../support/delivery/courier-fixture.js';
import { HOSTILE_REPLIES } from '../../support/samples/hostile-mail.js';
import type { MxAction } from '../../support/mail-servers/scripted-mx.js';

const MEBIBYTE = 1024 * 1024;
const RULES = [...REPLY_RULES.rules, ...REPLY_RULES.doubts, ...REPLY_RULES.hints];
const WORDS = [...RULES.flatMap(({ text }) => text ?? []), ...REPLY_PHRASES.values()].flatMap(
  ({ patterns }) => patterns,
);
const PATTERNS = [...new Set([...WORDS, ...NAME_PATTERNS, ...RETRY_PATTERNS])];

describe('the patterns of the rules for replies', () => {
  it.each(HOSTILE_REPLIES)('take eight times as long for eight times as much of %j', async (piece) => {
    const text = piece.repeat(MEBIBYTE / piece.length);
    const searched = (length: number) => () => {
      const part = text.slice(0, length);
      for (const pattern of PATTERNS) part.search(pattern);
    };
    const eighth = await cost(searched(MEBIBYTE / 8), 2);
    expect(await cost(searched(MEBIBYTE), 1)).toBeLessThan(2 * 8 * Math.max(eighth, 1));
  });
});

describe('a hostile reply', () => {
  it('is classified at the price of a long explanation', async () => {
    const hundred = (text: string) => () => {
      for (let i = 0; i < 100; i += 1) classifyReply({ code: 550, enhanced: null, text });
    };
    const texts = ['user unknown', `user ${'x'.repeat(60_000)}`].concat(
      ...HOSTILE_REPLIES.map((piece) => piece.repeat(60_000 / piece.length)),
    );
    const ordinary = await cost(hundred('Your message to this address was not taken. '.repeat(45)));
    for (const text of texts) expect(await cost(hundred(text)), text.slice(0, 20)).toBeLessThan(10 * ordinary);
  });

  it.each<[string, MxAction]>([
    ['without a line end', { raw: Buffer.alloc(3_000_000, '2') }],
    ['of continuation lines', { raw: '250-more\r\n'.repeat(200_000) }],
  ])('%s takes no memory', async (_what, action) => {
    const before = process.memoryUsage().rss;
    for (const moment of ['ehlo', 'mail', 'dot'] as const) {
      const fixture = await CourierFixture.start();
      await fixture.serve(at(moment, action));
      await fixture.deliver();
      await fixture.close();
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });
});

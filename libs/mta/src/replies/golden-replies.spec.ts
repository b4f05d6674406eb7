import { describe, expect, it } from 'vitest';
import { readGoldenReplies, type GoldenReply } from '../../../../test/support/samples/golden-replies.js';
import { partOf } from '../../../../test/support/samples/golden-tables.js';
import { classifyReply } from './reply-classifier.js';
import { retryHint } from './retry-hint.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
/** Classes whose hard bounces suppress the address; see docs/decisions/022-suppressions.md. */
const SUPPRESSING = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

const parts = { known: readGoldenReplies('known'), 'held-out': readGoldenReplies('held-out') };
const all = [...parts.known, ...parts['held-out']];

const suppresses = ({ reply }: GoldenReply): boolean => {
  const verdict = classifyReply(reply);
  return verdict.permanent && verdict.bounceType === 'hard' && SUPPRESSING.has(verdict.class);
};
const isCorrect = (one: GoldenReply): boolean => {
  const verdict = classifyReply(one.reply);
  return verdict.class === one.class && verdict.permanent === one.permanent;
};

describe('the labelled replies', () => {
  it('are enough, of many systems, and divided by their hash', () => {
    expect(all.length).toBeGreaterThanOrEqual(450);
    expect(new Set(all.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(35);
    expect(new Set(all.map(({ language }) => language)).size).toBeGreaterThanOrEqual(10);
    expect(new Set(all.map(({ line }) => line)).size).toBe(all.length);
    for (const [name, part] of Object.entries(parts))
      expect(part.filter(({ line }) => partOf(line) !== name).map(({ line }) => line)).toEqual([]);
  });

  it('cover every class, in both parts', () => {
    const classes = new Set(all.map((one) => one.class));
    expect(classes.size).toBe(13);
    expect(new Set(all.map(({ reply }) => classifyReply(reply).class))).toEqual(classes);
  });

  it.each(['known', 'held-out'] as const)('are classified correctly in at least 95 % of the part %s', (name) => {
    const share = parts[name].filter(isCorrect).length / parts[name].length;
    expect(share).toBeGreaterThanOrEqual(0.95);
  });

  it('never suppress an address by mistake', () => {
    expect(all.filter((one) => suppresses(one) && !one.suppress).map(({ line }) => line)).toEqual([]);
  });

  it('suppress at least 95 % of the addresses that should be', () => {
    const missed = all.filter((one) => one.suppress && !suppresses(one));
    expect(missed.length / all.filter(({ suppress }) => suppress).length).toBeLessThan(0.05);
  });

  it('have the retry hint that a person would read in them', () => {
    const wrong = all.filter(({ reply, permanent, retryMs }) => !permanent && retryHint(reply.text, NOW) !== retryMs);
    expect(wrong.map(({ line }) => line)).toEqual([]);
  });
});

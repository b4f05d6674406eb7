import { describe, expect, it } from 'vitest';
import { readPublicReplies, type PublicReply } from '../../../../test/support/golden-replies.js';
import { classifyReply, type ReplySubject } from './reply-classifier.js';

/** Classes whose hard bounces suppress the address; see docs/decisions/022-suppressions.md. */
const SUPPRESSING = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);
/** Refusals in the greeting concern the host and never bounce a message. */
const SUBJECTS: Record<string, ReplySubject> = {
  connect: 'several',
  mail: 'sender',
  rcpt: 'recipient',
  data: 'content',
};

const all = readPublicReplies();
const judge = ({ reply, phase }: PublicReply) => classifyReply(reply, SUBJECTS[phase]);
const isSuppressed = (one: PublicReply): boolean => {
  const { permanent, bounceType, class: found } = judge(one);
  return permanent && bounceType === 'hard' && SUPPRESSING.has(found);
};

/** The share of correct classes, and the numbers of wrong and missing suppressions. */
function scores(replies: readonly PublicReply[]) {
  const permanence = replies.filter((one) => judge(one).permanent === one.permanent).length;
  const right = replies.filter((one) => judge(one).class === one.class).length;
  return {
    replies: replies.length,
    classes: right,
    permanence,
    wrongSuppressions: replies.filter((one) => isSuppressed(one) && !one.suppress).length,
    missed: replies.filter((one) => one.suppress && !isSuppressed(one)).length,
  };
}

/** Collected and labelled by somebody who had not seen the rules of that time. */
describe('the replies of public lists', () => {
  it('are enough, each with its source', () => {
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(all.filter(({ source }) => source === '')).toEqual([]);
  });

  // docs/replies.md shows the numbers.
  it('are recognised, with few wrong and missing suppressions', () => {
    const { replies, classes, permanence, wrongSuppressions, missed } = scores(all);
    expect(classes / replies).toBeGreaterThanOrEqual(0.93);
    expect(permanence / replies).toBeGreaterThanOrEqual(0.97);
    expect(wrongSuppressions).toBeLessThanOrEqual(1);
    expect(missed).toBeLessThanOrEqual(3);
  });
});

import { describe, expect, it } from 'vitest';
import { readHeldOutReplies, type HeldOutReply } from '../../../../test/support/golden-replies.js';
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

const all = readHeldOutReplies();
const judge = ({ reply, phase }: HeldOutReply) => classifyReply(reply, SUBJECTS[phase]);
const isSuppressed = (one: HeldOutReply): boolean => {
  const { permanent, bounceType, class: found } = judge(one);
  return permanent && bounceType === 'hard' && SUPPRESSING.has(found);
};

/** The share of correct classes, and the numbers of wrong and missing suppressions. */
function scores(replies: readonly HeldOutReply[]) {
  const permanence = replies.filter((one) => judge(one).permanent === one.permanent).length;
  const right = replies.filter((one) => judge(one).class === one.class).length;
  const toSuppress = replies.filter(({ suppress }) => suppress);
  return {
    replies: replies.length,
    classes: right,
    permanence,
    wrongSuppressions: replies.filter((one) => isSuppressed(one) && !one.suppress).length,
    missed: toSuppress.filter((one) => !isSuppressed(one)).length,
    toSuppress: toSuppress.length,
  };
}

/** Collected and labelled by somebody who had not seen the rules. Nothing is changed because of a miss in them. */
describe('the replies of public lists', () => {
  it('are enough, each with its source', () => {
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(all.filter(({ source }) => source === '')).toEqual([]);
  });

  // The numbers of the first run, which docs/replies.md shows.
  it('are recognised, with few wrong and missing suppressions', () => {
    const { replies, classes, permanence, wrongSuppressions, missed, toSuppress } = scores(all);
    expect(classes / replies).toBeGreaterThanOrEqual(0.7);
    expect(permanence / replies).toBeGreaterThanOrEqual(0.97);
    expect(wrongSuppressions).toBeLessThanOrEqual(21);
    expect(missed / toSuppress).toBeLessThanOrEqual(0.25);
  });
});

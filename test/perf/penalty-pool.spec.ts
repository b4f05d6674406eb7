import { afterEach, describe, expect, it } from 'vitest';
import { PENALTY_HELO, SpammerFixture } from '../support/delivery/spammer-fixture.js';
import { until } from '../support/timing/until.js';

const ACCOUNTS = 100;
const EACH = Number(process.env['POSTLOFT_EACH'] ?? 20);
/** Spam from one source that the provider refuses before it defers everything from there. */
const TOLERATED = 300;
const SPAM = 2_000;
const MOST_DEFERRED = 0.01;

/** One account of a hundred sends spam to a provider that then defers all mail from the same source. */
describe('the deferral rate of 99 accounts beside a spamming one', () => {
  let fixture: SpammerFixture | undefined;
  afterEach(() => fixture?.close());

  it('moves by less than 1% with a penalty pool', { timeout: 1_800_000 }, async () => {
    fixture = await SpammerFixture.start(
      { accounts: ACCOUNTS, tolerated: TOLERATED },
      {
        PENALTY_POOL: `127.0.0.9=${PENALTY_HELO}`,
        PENALTY_MINIMUM_RECIPIENTS: '100',
        RATE_LIMIT_PER_SECOND: '0',
      },
    );
    const { spammer, others, provider } = fixture;
    const spam = fixture.send(spammer, 'trap', SPAM);
    for (const account of others) await fixture.send(account, 'user', EACH);
    await spam;
    await fixture.untilBlocked(PENALTY_HELO);
    const of = fixture;
    const isSettled = async () => {
      const { emails, delivered, deferred } = await of.outcomes();
      return delivered + deferred === emails;
    };
    await until(isSettled, { withinMs: 300_000, what: 'the first attempts' });
    const outcomes = await fixture.outcomes();
    console.log(`others: ${JSON.stringify(outcomes)}, spam refused by source: ${JSON.stringify([...provider.spam])}`);
    expect(outcomes.deferred / outcomes.emails).toBeLessThan(MOST_DEFERRED);
  });
});

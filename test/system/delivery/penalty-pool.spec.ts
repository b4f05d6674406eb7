import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PENALTY_HELO, SpammerFixture } from '../../support/delivery/spammer-fixture.js';
import { callersOf } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';

/** 100 of them are in test/perf/penalty-pool.spec.ts. */
const ACCOUNTS = 10;
const EACH = 5;
/** Spam from one source that the provider refuses before it defers everything from there. */
const TOLERATED = 60;
const ORDINARY_HELO = 'smtp.postloft.test';
const PENALTY = {
  PENALTY_POOL: `127.0.0.9=${PENALTY_HELO}`,
  PENALTY_MINIMUM_RECIPIENTS: '20',
};

/** One account sends spam to a provider that then defers all mail from the same source. */
describe('one spamming account of several', () => {
  let fixture: SpammerFixture;
  afterAll(() => fixture?.close());

  describe('with a penalty pool', () => {
    let first: { json: ReturnType<typeof callersOf>['json']; call: ReturnType<typeof callersOf>['call'] };
    beforeAll(async () => {
      fixture = await SpammerFixture.start({ accounts: ACCOUNTS, tolerated: TOLERATED }, PENALTY);
      const accounts = (await fixture.commands.run(['accounts', 'list'])) as { id: string }[];
      const operator = accounts[accounts.length - 1].id;
      const key = (await fixture.commands.run(['api-keys', 'create', operator, '--scopes', 'operator.accounts'])) as {
        token: string;
      };
      first = callersOf(fixture.network.sender.url, key.token);
    }, 120_000);

    it('is moved at once, and no email of the others is deferred', { timeout: 120_000 }, async () => {
      await fixture.send(fixture.spammer, 'trap', 40);
      await until(async () => (await fixture.poolOf(fixture.spammer)) === 'penalty', { what: 'the move' });
      await Promise.all([
        fixture.send(fixture.spammer, 'trap-again', 2 * TOLERATED),
        ...fixture.others.slice(0, 5).map((account) => fixture.send(account, 'user', EACH)),
      ]);
      await fixture.untilBlocked(PENALTY_HELO);
      await Promise.all(fixture.others.slice(5).map((account) => fixture.send(account, 'user', EACH)));
      const emails = (ACCOUNTS - 1) * EACH;
      await until(async () => (await fixture.outcomes()).delivered === emails, { what: 'delivery', withinMs: 60_000 });
      expect(await fixture.outcomes()).toEqual({ emails, delivered: emails, deferred: 0 });
      expect(fixture.provider.deferred.get(ORDINARY_HELO) ?? 0).toBe(0);
      expect(fixture.provider.spam.get(ORDINARY_HELO)).toBeLessThan(TOLERATED);
      for (const account of fixture.others.slice(0, 5)) expect(await fixture.poolOf(account)).toBe('default');
    });

    it('is seen and moved back by the operator over REST', async () => {
      const { id } = fixture.spammer;
      const path = `/operator/accounts/${id}`;
      expect(await first.json('GET', path)).toMatchObject({
        object: 'operator_account',
        pool: 'penalty',
        pool_choice: 'auto',
        penalty: { reason: 'blocks', limit_percent: 5 },
      });
      const { data } = await first.json<{ data: { id: string }[] }>('GET', `/operator/accounts?search=${id}`);
      expect(data.map((one) => one.id)).toEqual([id]);
      expect(
        await first.json('PATCH', path, { pool: 'default', plan: '50000', bounce_limit_percent: 15 }),
      ).toMatchObject({
        pool: 'default',
        pool_choice: 'default',
        plan: '50000',
        bounce_limit_percent: 15,
        penalty: null,
      });
      expect(await fixture.poolOf(fixture.spammer)).toBe('default');
      expect(
        await (await first.call('PATCH', path, { pool: 'quarantine', bounce_limit_percent: 0 })).json(),
      ).toMatchObject({
        details: [
          { field: 'pool', message: 'must be one of auto, penalty, default' },
          { field: 'bounce_limit_percent', message: 'must be a number above 0 and up to 100, or null' },
        ],
      });
      expect((await first.call('GET', '/operator/accounts/acc_nothing')).status).toBe(404);
      // Neither the first account's ordinary keys nor those of others reach it.
      for (const call of [fixture.network.sender.call, callersOf(fixture.network.sender.url, 'pl_live_x').call])
        expect([401, 403]).toContain((await call('GET', path)).status);
      expect((await first.call('GET', '/emails')).status).toBe(403);
    });

    it('is moved and limited by the command line', async () => {
      const { id } = fixture.spammer;
      const run = (...words: string[]) => fixture.commands.run(words);
      expect(await run('accounts', 'pool', id, 'penalty')).toEqual({ id, pool: 'penalty', pool_choice: 'penalty' });
      expect(await run('accounts', 'limits', id, '--monthly', 'free', '--complaints', '0.2')).toEqual({
        id,
        plan: 'free',
        bounce_limit_percent: 15,
        complaint_limit_percent: 0.2,
      });
      expect(await run('accounts', 'limits', id, '--bounces', 'default')).toMatchObject({ bounce_limit_percent: null });
      await expect(run('accounts', 'pool', id, 'quarantine')).rejects.toThrow('must be one of auto, penalty, default');
      await expect(run('accounts', 'limits', id, '--bounces', '0')).rejects.toThrow('--bounces must be a percentage');
      const text = await (await fetch(`${fixture.network.sender.url}/metrics`)).text();
      expect(text).toMatch(/^postloft_accounts_in_penalty_pool 1$/m);
    });

    it('is the only one that can be told apart: another account cannot have the scope', async () => {
      await expect(
        fixture.commands.run(['api-keys', 'create', fixture.spammer.id, '--scopes', 'operator.accounts']),
      ).rejects.toThrow('only keys of the first account');
    });
  });
});

describe('one spamming account without a penalty pool', () => {
  let fixture: SpammerFixture;
  beforeAll(async () => {
    fixture = await SpammerFixture.start({ accounts: 4, tolerated: TOLERATED }, {});
  }, 120_000);
  afterAll(() => fixture?.close());

  it('takes the source address of all others with it', { timeout: 60_000 }, async () => {
    await fixture.send(fixture.spammer, 'trap', 2 * TOLERATED);
    await fixture.untilBlocked(ORDINARY_HELO);
    await Promise.all(fixture.others.map((account) => fixture.send(account, 'user', EACH)));
    await until(async () => (await fixture.outcomes()).deferred >= 1, { what: 'a deferred email' });
    expect((await fixture.outcomes()).delivered).toBe(0);
    expect(await fixture.poolOf(fixture.spammer)).toBe('default');
  });
});

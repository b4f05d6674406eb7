import { wholeAccount } from '#libs/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainView } from '#libs/domains';
import {
  newAccountId,
  openDomainsFixture,
  recordOf,
  required,
  type DomainsFixture,
} from '../../support/fixtures/domains-fixture.js';
import { LocalDns, publish } from '../../support/dns/local-dns.js';
import { until } from '../../support/timing/until.js';

const INTERVAL_MS = 100;
const [STEPS_24H, STEPS_72H] = [24 * 60, 72 * 60];
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let [accountId, name] = ['', ''];
let fixture: DomainsFixture;
beforeAll(async () => {
  fixture = await openDomainsFixture();
  fixture.startVerifier();
});
afterAll(() => fixture.close());
beforeEach(() => {
  accountId = newAccountId();
  name = fixture.newName();
});

/** Moves all times of the domain back, as if that many steps had passed. */
const AGE = (column: string) =>
  `UPDATE domains SET ${column} = ${column} - make_interval(secs => $2), due_at = now() WHERE id = $1`;
const age = (id: string, column: 'created_at' | 'warning_since', steps: number) =>
  fixture.db.database.query(AGE(column), [id, (steps * INTERVAL_MS) / 1_000]);
const checkNow = (id: string) => fixture.db.database.query('UPDATE domains SET due_at = now() WHERE id = $1', [id]);
const columns = async (id: string) => {
  const { rows } = await fixture.db.database.query<{ inSteps: number; fence: number }>(
    `SELECT extract(epoch FROM due_at - checked_at)::float * 1000 / $2 AS "inSteps", fence FROM domains WHERE id = $1`,
    [id, INTERVAL_MS],
  );
  return rows[0];
};

/** Between its claim and its end a check is due after the lease, so this waits for the end. */
const untilNextCheckIn = (id: string, steps: number) =>
  until(async () => Math.abs((await columns(id)).inSteps - steps) < 0.005, {
    what: `the next check in ${steps} steps`,
  });

async function activeDomain(account = accountId) {
  const added = await fixture.entries.add(account, name);
  publish(fixture.dns, required(added));
  return fixture.waitFor(account, added.id, (view) => view.status === 'active');
}

describe('a new domain', () => {
  it('is checked at once, and at every step until its records are found', async () => {
    const added = await fixture.entries.add(accountId, name);
    expect(added).toMatchObject({ status: 'pending', last_checked_at: null, verified_at: null, warning_since: null });
    const seen = await fixture.waitFor(accountId, added.id, (view) => view.last_checked_at !== null);
    expect(seen.records.map((record) => record.status)).toEqual(Array(7).fill('pending'));
    expect(required(seen).every((record) => record.error?.includes('yet') && record.observed.length === 0)).toBe(true);
    const { fence } = await columns(added.id);
    await fixture.waitFor(accountId, added.id, (view) => view.last_checked_at !== seen.last_checked_at);
    expect((await columns(added.id)).fence).toBeGreaterThan(fence);
    await untilNextCheckIn(added.id, 1);
    expect(await fixture.domains.active(accountId, name)).toBeNull();

    publish(fixture.dns, required(added));
    const active = await fixture.waitFor(accountId, added.id, (view) => view.status === 'active');
    expect(required(active).map((record) => [record.status, record.observed, record.error])).toEqual(
      required(active).map((record) => ['verified', [record.value], null]),
    );
    expect((await columns(added.id)).inSteps).toBeCloseTo(STEPS_24H);
    expect((await fixture.events(added.id)).map(({ type, sequence, data }) => [type, sequence, data.reason])).toEqual([
      ['domain.created', 1, 'created'],
      ['domain.updated', 2, 'verified'],
    ]);
    await wait(500);
    expect(await fixture.domains.active(accountId, name)).toMatchObject({ id: added.id });
  });

  it('is active with the first check after its records are published', async () => {
    const unwatched = await openDomainsFixture();
    const added = await unwatched.entries.add(accountId, name);
    const runCheck = async () => {
      await unwatched.db.database.query('UPDATE domains SET due_at = now()');
      const [check] = await unwatched.verifier.claim(1);
      await unwatched.verifier.check(check);
      return (await unwatched.view(accountId, added.id)).status;
    };
    expect(await runCheck()).toBe('pending');
    publish(unwatched.dns, required(added));
    expect(await runCheck()).toBe('active');
    await unwatched.close();
  });

  it('is checked at every fifth step after an hour, fails after 72 hours, and is then checked daily', async () => {
    const added = await fixture.entries.add(accountId, name);
    await fixture.waitFor(accountId, added.id, (view) => view.last_checked_at !== null);
    await age(added.id, 'created_at', 60);
    await untilNextCheckIn(added.id, 5);
    await age(added.id, 'created_at', STEPS_72H - 60);
    const failed = await fixture.waitFor(accountId, added.id, (view) => view.status === 'failed');
    expect(required(failed).map((record) => record.status)).toEqual(['failed', 'failed', 'failed']);
    expect((await columns(added.id)).inSteps).toBeCloseTo(STEPS_24H);
    expect((await fixture.events(added.id)).at(-1)?.data).toMatchObject({ status: 'failed', reason: 'failed' });

    publish(fixture.dns, required(added));
    await fixture.entries.requestCheck(wholeAccount(accountId), added.id);
    await fixture.waitFor(accountId, added.id, (view) => view.status === 'active');
  });

  it('is checked at every step for an hour after a requested check of a failed domain', async () => {
    const added = await fixture.entries.add(accountId, name);
    await age(added.id, 'created_at', STEPS_72H);
    await fixture.waitFor(accountId, added.id, (view) => view.status === 'failed');
    await fixture.entries.requestCheck(wholeAccount(accountId), added.id);
    await untilNextCheckIn(added.id, 1);
    await expect(fixture.entries.requestCheck(wholeAccount(accountId), added.id)).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfter: 10,
    });
  });

  it('returns the values of wrong records', async () => {
    const added = await fixture.entries.add(accountId, name);
    const [, dkim, dmarc] = required(added);
    fixture.dns.set(name, { TXT: ['v=spf1 ip4:192.0.2.1 -all', 'something else'] });
    fixture.dns.set(dkim.name, { TXT: [dkim.value.slice(0, -20)] });
    fixture.dns.set(dmarc.name, { TXT: ['v=dmarc1; p=none'] });
    const seen = await fixture.waitFor(accountId, added.id, (view) => recordOf(view, 'DMARC').status === 'failed');
    expect(recordOf(seen, 'SPF')).toMatchObject({
      status: 'failed',
      observed: ['v=spf1 ip4:192.0.2.1 -all'],
      value: 'v=spf1 ip4:192.0.2.1 include:spf.postloft.test -all',
      error: expect.stringContaining('include:spf.postloft.test'),
    });
    expect(recordOf(seen, 'DKIM')).toMatchObject({
      status: 'failed',
      observed: [dkim.value.slice(0, -20)],
      error: expect.stringContaining('cut off'),
    });
    expect(recordOf(seen, 'DMARC').observed).toEqual(['v=dmarc1; p=none']);
    publish(fixture.dns, required(seen));
    await fixture.waitFor(accountId, added.id, (view) => view.status === 'active');
  });

  it('gets a hint for a record under a doubled name', async () => {
    const added = await fixture.entries.add(accountId, name);
    const dkim = recordOf(added, 'DKIM');
    fixture.dns.set(`${dkim.name}.${name}`, { TXT: [dkim.value] });
    const hasHint = (view: DomainView) => recordOf(view, 'DKIM').error?.includes('appends') === true;
    const seen = await fixture.waitFor(accountId, added.id, hasHint);
    expect(recordOf(seen, 'DKIM').error).toContain(`Enter only ${dkim.name.slice(0, -name.length - 1)} `);
  });

  it('becomes active without the optional records', async () => {
    const active = await activeDomain();
    publish(fixture.dns, active.records);
    await checkNow(active.id);
    const isTracking = (view: DomainView) => recordOf(view, 'Tracking').status === 'verified';
    const seen = await fixture.waitFor(accountId, active.id, isTracking);
    expect(seen.records.map((record) => record.status)).toEqual(Array(7).fill('verified'));
  });
});

describe('an active domain', () => {
  it('gets a warning when a required record is lost, may send for 24 hours, then fails, and recovers with the record', async () => {
    const active = await activeDomain();
    const dkim = recordOf(active, 'DKIM');
    fixture.dns.remove(dkim.name);
    await checkNow(active.id);
    const warned = await fixture.waitFor(accountId, active.id, (view) => view.warning_since !== null);
    expect(warned.status).toBe('active');
    expect(recordOf(warned, 'DKIM').status).toBe('failed');
    expect(await fixture.domains.active(accountId, name)).not.toBeNull();
    expect((await columns(active.id)).inSteps).toBeCloseTo(5);
    await age(active.id, 'warning_since', STEPS_24H);
    const failed = await fixture.waitFor(accountId, active.id, (view) => view.status === 'failed');
    expect(failed.warning_since).toBeNull();
    await wait(500);
    expect(await fixture.domains.active(accountId, name)).toBeNull();

    publish(fixture.dns, [dkim]);
    await checkNow(active.id);
    await fixture.waitFor(accountId, active.id, (view) => view.status === 'active');
    expect((await fixture.events(active.id)).map(({ data }) => [data.reason, data.status])).toEqual([
      ['created', 'pending'],
      ['verified', 'active'],
      ['warning', 'active'],
      ['failed', 'failed'],
      ['recovered', 'active'],
    ]);
  });

  it('recovers from a warning', async () => {
    const active = await activeDomain();
    fixture.dns.remove(recordOf(active, 'DMARC').name);
    await checkNow(active.id);
    await fixture.waitFor(accountId, active.id, (view) => view.warning_since !== null);
    publish(fixture.dns, required(active));
    const well = await fixture.waitFor(accountId, active.id, (view) => view.warning_since === null);
    expect(well.status).toBe('active');
    expect((await fixture.events(active.id)).map(({ data }) => data.reason).slice(2)).toEqual(['warning', 'recovered']);
  });

  it('does not lose a record that is missing in one answer only', async () => {
    const active = await activeDomain();
    const { name: at } = recordOf(active, 'DKIM');
    const asked = () => fixture.dns.questions.filter((question) => question.name === at).length;
    const before = asked();
    fixture.dns.remove(at);
    await checkNow(active.id);
    while (asked() === before) await wait(5);
    await wait(INTERVAL_MS / 4);
    publish(fixture.dns, required(active));
    await wait(3 * INTERVAL_MS);
    expect((await fixture.events(active.id)).map(({ data }) => data.reason)).toEqual(['created', 'verified']);
    expect((await fixture.view(accountId, active.id)).records[1].status).toBe('verified');
  });

  it('keeps its state while DNS fails: active, with a warning, or pending', async () => {
    const active = await activeDomain();
    const spoil = (fault?: 'SERVFAIL' | 'REFUSED' | 'malformed') => {
      for (const record of active.records)
        fixture.dns.set(record.name, { TXT: [record.value], ...(fault ? { fault } : {}) });
    };
    for (const fault of ['SERVFAIL', 'REFUSED'] as const) {
      spoil(fault);
      for (let i = 0; i < 4; i += 1) {
        await checkNow(active.id);
        await wait(INTERVAL_MS);
      }
    }
    const shaken = await fixture.view(accountId, active.id);
    expect([shaken.status, shaken.warning_since]).toEqual(['active', null]);
    expect(required(shaken).map((record) => record.status)).toEqual(['verified', 'verified', 'verified']);

    spoil();
    fixture.dns.remove(recordOf(active, 'DKIM').name);
    await checkNow(active.id);
    await fixture.waitFor(accountId, active.id, (view) => view.warning_since !== null);
    spoil('SERVFAIL');
    await age(active.id, 'warning_since', 2 * STEPS_24H);
    await wait(3 * INTERVAL_MS);
    expect((await fixture.view(accountId, active.id)).status).toBe('active');
    expect((await fixture.events(active.id)).length).toBe(3);
  });

  it('is not checked when the operator vouches for it', async () => {
    const { id } = await fixture.domains.addVouched(accountId, name);
    const questions = fixture.dns.questions.length;
    const view = await fixture.entries.requestCheck(wholeAccount(accountId), id);
    expect(view).toMatchObject({ status: 'active', last_checked_at: null });
    await wait(2 * INTERVAL_MS);
    expect(fixture.dns.questions.slice(questions).filter((question) => question.name.endsWith(name))).toEqual([]);
  });

  it('is not checked once it is removed, and a running check writes nothing', async () => {
    const active = await activeDomain();
    await checkNow(active.id);
    const [check] = await fixture.verifier.claim(1);
    let kept: unknown[] = [];
    const removed = await fixture.entries.remove(wholeAccount(accountId), active.id, async (tx) => {
      kept = (await tx.query('SELECT name FROM domains WHERE id = $1', [active.id])).rows;
    });
    expect([removed, kept]).toEqual([true, []]);
    expect(await fixture.entries.remove(wholeAccount(accountId), active.id, () => Promise.resolve())).toBe(false);
    if (check) await fixture.verifier.check(check);
    expect(await fixture.domains.view(wholeAccount(accountId), active.id)).toBeNull();
    expect((await fixture.events(active.id)).map(({ type }) => type)).toEqual([
      'domain.created',
      'domain.updated',
      'domain.deleted',
    ]);
  });
});

describe('a name in two accounts', () => {
  it('is active for the first account to publish its key; the other waits, gets the reason, and follows when the name is free', async () => {
    const mine = await activeDomain();
    const other = newAccountId();
    const theirs = await fixture.entries.add(other, name);
    expect(recordOf(theirs, 'DKIM').name).not.toBe(recordOf(mine, 'DKIM').name);
    // The records of the first do not verify the second.
    await fixture.waitFor(other, theirs.id, (view) => view.records[0].status === 'verified');
    expect(recordOf(await fixture.view(other, theirs.id), 'DKIM')).toMatchObject({ status: 'pending' });
    publish(fixture.dns, [recordOf(theirs, 'DKIM')]);
    const told = await fixture.waitFor(other, theirs.id, (view) => recordOf(view, 'DKIM').status === 'failed');
    expect(told.status).toBe('pending');
    expect(recordOf(told, 'DKIM').error).toContain('active in another account');
    expect((await fixture.view(accountId, mine.id)).status).toBe('active');

    await fixture.entries.remove(wholeAccount(accountId), mine.id, () => Promise.resolve());
    await fixture.waitFor(other, theirs.id, (view) => view.status === 'active');
  });

  it('does not become active without new records when the first account removes it', async () => {
    const mine = await activeDomain();
    await fixture.entries.remove(wholeAccount(accountId), mine.id, () => Promise.resolve());
    const other = newAccountId();
    const theirs = await fixture.entries.add(other, name);
    await wait(5 * INTERVAL_MS);
    const seen = await fixture.view(other, theirs.id);
    expect([seen.status, recordOf(seen, 'DKIM').status]).toEqual(['pending', 'pending']);
    // Nor for the first account, whose new entry has another selector.
    const back = await fixture.entries.add(accountId, name);
    await wait(3 * INTERVAL_MS);
    expect((await fixture.view(accountId, back.id)).status).toBe('pending');
  });

  it('is active once with concurrent publications and several verifiers', async () => {
    fixture.startVerifier();
    const accounts = Array.from({ length: 6 }, newAccountId);
    const added = await Promise.all(accounts.map((account) => fixture.entries.add(account, name)));
    for (const view of added) publish(fixture.dns, required(view));
    const isTaken = (view: DomainView) => recordOf(view, 'DKIM').error?.includes('another account') === true;
    const isDecided = (view: DomainView) => view.status === 'active' || isTaken(view);
    const decided = accounts.map((account, i) => fixture.waitFor(account, added[i].id, isDecided));
    const statuses = (await Promise.all(decided)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['active', ...Array<string>(5).fill('pending')]);
  });
});

describe('name servers that never answer', () => {
  /** An account with domains on these servers. Keys are generated for the first domain only. */
  const silence = async (at: DomainsFixture, entries: number) => {
    const owner = newAccountId();
    const { id } = await at.entries.add(owner, at.newName());
    await at.db.database.query(
      `INSERT INTO domains (id, account_id, name, selector, due_at)
       SELECT 'dom_' || lpad(n::text, 32, '0'), account_id, n || '.' || name, selector, due_at - interval '1 hour'
         FROM domains, generate_series(2, $2::int) AS n WHERE id = $1`,
      [id, entries],
    );
    const added = await at.domains.list(wholeAccount(owner));
    for (const { records } of added) for (const record of records) at.dns.set(record.name, { fault: 'silent' });
    return { owner, added };
  };

  it('do not delay other accounts', async () => {
    const busy = await openDomainsFixture();
    try {
      const { added } = await silence(busy, 60);
      // Due for longer than the others.
      const mine = await busy.entries.add(accountId, name);
      publish(busy.dns, required(mine));
      busy.startVerifier();
      await busy.waitFor(accountId, mine.id, (view) => view.status === 'active');
      const { rows } = await busy.db.database.query('SELECT id FROM domains WHERE checked_at IS NOT NULL');
      expect([rows, added.length]).toEqual([[{ id: mine.id }], 60]);
    } finally {
      await busy.close();
    }
  });

  it('do not delay the stop, and the domain is due again', async () => {
    const busy = await openDomainsFixture();
    try {
      const { owner, added } = await silence(busy, 1);
      const [check] = await busy.verifier.claim(1);
      const done = busy.verifier.check(check);
      await wait(50);
      busy.verifier.stop();
      await done;
      const { rows } = await busy.db.database.query<{ due: boolean }>('SELECT due_at <= now() AS due FROM domains');
      expect(rows).toEqual([{ due: true }]);
      expect((await busy.view(owner, added[0].id)).last_checked_at).toBeNull();
    } finally {
      await busy.close();
    }
  });
});

describe('several servers in DNS_SERVERS', () => {
  it('are all queried before a record counts as missing, so that a stale one does not delay', async () => {
    const stale = await LocalDns.start();
    const fresh = await LocalDns.start();
    const other = await openDomainsFixture({ DNS_SERVERS: `${stale.address},${fresh.address}` });
    try {
      other.startVerifier();
      const added = await other.entries.add(accountId, name);
      publish(fresh, required(added));
      await other.waitFor(accountId, added.id, (view) => view.status === 'active');
      expect(stale.questions.length).toBeGreaterThan(0);
      expect(other.dns.questions).toEqual([]);
    } finally {
      await other.close();
      await Promise.all([stale.close(), fresh.close()]);
    }
  });
});

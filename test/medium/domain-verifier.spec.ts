import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newAccountId, openDomainDesk, publish, recordOf, required, type DomainDesk } from '../support/domain-desk.js';
import { LocalDns } from '../support/local-dns.js';
import { until } from '../support/until.js';

const INTERVAL_MS = 100;
const STEPS_72H = 72 * 60;
const STEPS_24H = 24 * 60;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let desk: DomainDesk;
let accountId: string;
let name: string;

beforeAll(async () => {
  desk = await openDomainDesk();
  desk.watch();
});
afterAll(() => desk.close());
beforeEach(() => {
  accountId = newAccountId();
  name = desk.newName();
});

/** As if that many steps had gone by. */
const age = (id: string, column: 'created_at' | 'warning_since', steps: number) =>
  desk.db.database.query(
    `UPDATE domains SET ${column} = ${column} - make_interval(secs => $2), due_at = now() WHERE id = $1`,
    [id, (steps * INTERVAL_MS) / 1_000],
  );
const lookNow = (id: string) => desk.db.database.query('UPDATE domains SET due_at = now() WHERE id = $1', [id]);
const columns = async (id: string) => {
  const { rows } = await desk.db.database.query<{ inSteps: number; fence: number }>(
    `SELECT extract(epoch FROM due_at - checked_at)::float * 1000 / $2 AS "inSteps", fence FROM domains WHERE id = $1`,
    [id, INTERVAL_MS],
  );
  return rows[0];
};

async function activeDomain(account = accountId) {
  const added = await desk.entries.add(account, name);
  publish(desk.dns, required(added));
  return desk.see(account, added.id, (view) => view.status === 'active');
}

describe('a new domain', () => {
  it('is looked at at once, and again on every step, until its records are there', async () => {
    const added = await desk.entries.add(accountId, name);
    expect(added).toMatchObject({ status: 'pending', last_checked_at: null, verified_at: null, warning_since: null });
    const seen = await desk.see(accountId, added.id, (view) => view.last_checked_at !== null);
    expect(seen.records.map((record) => record.status)).toEqual(Array(7).fill('pending'));
    expect(required(seen).every((record) => record.error?.includes('yet') && record.observed.length === 0)).toBe(true);
    const { fence } = await columns(added.id);
    await desk.see(accountId, added.id, (view) => view.last_checked_at !== seen.last_checked_at);
    expect((await columns(added.id)).fence).toBeGreaterThan(fence);
    expect((await columns(added.id)).inSteps).toBeCloseTo(1);
    expect(await desk.domains.active(accountId, name)).toBeNull();

    publish(desk.dns, required(added));
    const active = await desk.see(accountId, added.id, (view) => view.status === 'active');
    expect(required(active).map((record) => [record.status, record.observed, record.error])).toEqual(
      required(active).map((record) => ['verified', [record.value], null]),
    );
    expect((await columns(added.id)).inSteps).toBeCloseTo(STEPS_24H);
    expect((await desk.events(added.id)).map(({ type, sequence, data }) => [type, sequence, data.reason])).toEqual([
      ['domain.created', 1, 'created'],
      ['domain.updated', 2, 'verified'],
    ]);
    await desk.see(accountId, added.id, () => true);
    await wait(500);
    expect(await desk.domains.active(accountId, name)).toMatchObject({ id: added.id });
  });

  it('is active within two steps of publication in the median of many, and always within fifteen', async () => {
    const calm = await openDomainDesk({ DOMAIN_CHECK_INTERVAL: '600ms' });
    try {
      calm.watch();
      const steps = await Promise.all(
        Array.from({ length: 9 }, async (_, i) => {
          const owner = newAccountId();
          const added = await calm.entries.add(owner, calm.newName());
          await wait(i * 150);
          const published = Date.now();
          publish(calm.dns, required(added));
          const active = await calm.see(owner, added.id, (view) => view.status === 'active');
          return (Date.parse(active.verified_at as string) - published) / 600;
        }),
      );
      steps.sort((a, b) => a - b);
      expect(steps[4]).toBeLessThanOrEqual(2);
      expect(steps[8]).toBeLessThanOrEqual(15);
    } finally {
      await calm.close();
    }
  });

  it('is looked at on every fifth step after an hour, fails after 72 hours, and is looked at daily from then on', async () => {
    const added = await desk.entries.add(accountId, name);
    await desk.see(accountId, added.id, (view) => view.last_checked_at !== null);
    await age(added.id, 'created_at', 60);
    await wait(INTERVAL_MS);
    expect((await columns(added.id)).inSteps).toBeCloseTo(5);
    await age(added.id, 'created_at', STEPS_72H - 60);
    const failed = await desk.see(accountId, added.id, (view) => view.status === 'failed');
    expect(required(failed).map((record) => record.status)).toEqual(['failed', 'failed', 'failed']);
    expect((await columns(added.id)).inSteps).toBeCloseTo(STEPS_24H);
    expect((await desk.events(added.id)).at(-1)?.data).toMatchObject({ status: 'failed', reason: 'failed' });

    publish(desk.dns, required(added));
    await desk.entries.askForCheck(accountId, added.id);
    await desk.see(accountId, added.id, (view) => view.status === 'active');
  });

  it('is looked at eagerly for an hour when somebody asks for a check of a failed one', async () => {
    const added = await desk.entries.add(accountId, name);
    await age(added.id, 'created_at', STEPS_72H);
    await desk.see(accountId, added.id, (view) => view.status === 'failed');
    await desk.entries.askForCheck(accountId, added.id);
    await until(async () => Math.abs((await columns(added.id)).inSteps - 1) < 0.005, {
      what: 'the next look, a step on',
    });
    await expect(desk.entries.askForCheck(accountId, added.id)).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfter: 10,
    });
  });

  it('says what stands in DNS where it is wrong', async () => {
    const added = await desk.entries.add(accountId, name);
    const [, dkim, dmarc] = required(added);
    desk.dns.set(name, { TXT: ['v=spf1 ip4:192.0.2.1 -all', 'something else'] });
    desk.dns.set(dkim.name, { TXT: [dkim.value.slice(0, -20)] });
    desk.dns.set(dmarc.name, { TXT: ['v=dmarc1; p=none'] });
    const seen = await desk.see(accountId, added.id, (view) => recordOf(view, 'DMARC').status === 'failed');
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
    publish(desk.dns, required(seen));
    await desk.see(accountId, added.id, (view) => view.status === 'active');
  });

  it('is told where a record stands under a doubled name', async () => {
    const added = await desk.entries.add(accountId, name);
    const dkim = recordOf(added, 'DKIM');
    desk.dns.set(`${dkim.name}.${name}`, { TXT: [dkim.value] });
    const seen = await desk.see(
      accountId,
      added.id,
      (view) => recordOf(view, 'DKIM').error?.includes('appends') === true,
    );
    expect(recordOf(seen, 'DKIM').error).toContain(`Enter only ${dkim.name.slice(0, -name.length - 1)} `);
  });

  it('has optional records that gate nothing', async () => {
    const active = await activeDomain();
    publish(desk.dns, active.records);
    await lookNow(active.id);
    const seen = await desk.see(accountId, active.id, (view) => recordOf(view, 'Tracking').status === 'verified');
    expect(seen.records.map((record) => record.status)).toEqual(Array(7).fill('verified'));
  });
});

describe('an active domain', () => {
  it('warns when a required record is lost, keeps sending for 24 hours, then fails, and recovers when it is back', async () => {
    const active = await activeDomain();
    const dkim = recordOf(active, 'DKIM');
    desk.dns.remove(dkim.name);
    await lookNow(active.id);
    const warned = await desk.see(accountId, active.id, (view) => view.warning_since !== null);
    expect(warned.status).toBe('active');
    expect(recordOf(warned, 'DKIM').status).toBe('failed');
    expect(await desk.domains.active(accountId, name)).not.toBeNull();
    expect((await columns(active.id)).inSteps).toBeCloseTo(5);
    await age(active.id, 'warning_since', STEPS_24H);
    const failed = await desk.see(accountId, active.id, (view) => view.status === 'failed');
    expect(failed.warning_since).toBeNull();
    await wait(500);
    expect(await desk.domains.active(accountId, name)).toBeNull();

    publish(desk.dns, [dkim]);
    await lookNow(active.id);
    await desk.see(accountId, active.id, (view) => view.status === 'active');
    expect((await desk.events(active.id)).map(({ data }) => [data.reason, data.status])).toEqual([
      ['created', 'pending'],
      ['verified', 'active'],
      ['warning', 'active'],
      ['failed', 'failed'],
      ['recovered', 'active'],
    ]);
  });

  it('recovers from a warning', async () => {
    const active = await activeDomain();
    desk.dns.remove(recordOf(active, 'DMARC').name);
    await lookNow(active.id);
    await desk.see(accountId, active.id, (view) => view.warning_since !== null);
    publish(desk.dns, required(active));
    const well = await desk.see(accountId, active.id, (view) => view.warning_since === null);
    expect(well.status).toBe('active');
    expect((await desk.events(active.id)).map(({ data }) => data.reason).slice(2)).toEqual(['warning', 'recovered']);
  });

  it('takes one answer for a slip: a record that is back a step later was never lost', async () => {
    const active = await activeDomain();
    const { name: at } = recordOf(active, 'DKIM');
    const asked = () => desk.dns.questions.filter((question) => question.name === at).length;
    const before = asked();
    desk.dns.remove(at);
    await lookNow(active.id);
    while (asked() === before) await wait(5);
    await wait(INTERVAL_MS / 4);
    publish(desk.dns, required(active));
    await wait(3 * INTERVAL_MS);
    expect((await desk.events(active.id)).map(({ data }) => data.reason)).toEqual(['created', 'verified']);
    expect((await desk.view(accountId, active.id)).records[1].status).toBe('verified');
  });

  it('stays what it is while DNS fails, be it healthy, warned or pending', async () => {
    const active = await activeDomain();
    const spoil = (fault?: 'SERVFAIL' | 'REFUSED' | 'malformed') => {
      for (const record of active.records)
        desk.dns.set(record.name, { TXT: [record.value], ...(fault ? { fault } : {}) });
    };
    for (const fault of ['SERVFAIL', 'REFUSED'] as const) {
      spoil(fault);
      for (let i = 0; i < 4; i += 1) {
        await lookNow(active.id);
        await wait(INTERVAL_MS);
      }
    }
    const shaken = await desk.view(accountId, active.id);
    expect([shaken.status, shaken.warning_since]).toEqual(['active', null]);
    expect(required(shaken).map((record) => record.status)).toEqual(['verified', 'verified', 'verified']);

    spoil();
    desk.dns.remove(recordOf(active, 'DKIM').name);
    await lookNow(active.id);
    await desk.see(accountId, active.id, (view) => view.warning_since !== null);
    spoil('SERVFAIL');
    await age(active.id, 'warning_since', 2 * STEPS_24H);
    await wait(3 * INTERVAL_MS);
    expect((await desk.view(accountId, active.id)).status).toBe('active');
    expect((await desk.events(active.id)).length).toBe(3);
  });

  it('is exempt from all of this when the operator vouches for it', async () => {
    const { id } = await desk.domains.addVouched(accountId, name);
    const questions = desk.dns.questions.length;
    expect(await desk.entries.askForCheck(accountId, id)).toMatchObject({ status: 'active', last_checked_at: null });
    await wait(2 * INTERVAL_MS);
    expect(desk.dns.questions.slice(questions).filter((question) => question.name.endsWith(name))).toEqual([]);
  });

  it('is looked at no more once it is removed, and a check under way writes nothing', async () => {
    const active = await activeDomain();
    const [check] = await (async () => {
      await lookNow(active.id);
      return desk.verifier.claim(1);
    })();
    let kept: unknown[] = [];
    const removed = await desk.entries.remove(accountId, active.id, async (tx) => {
      kept = (await tx.query('SELECT name FROM domains WHERE id = $1', [active.id])).rows;
    });
    expect([removed, kept]).toEqual([true, []]);
    expect(await desk.entries.remove(accountId, active.id, () => Promise.resolve())).toBe(false);
    if (check) await desk.verifier.check(check);
    expect(await desk.domains.view(accountId, active.id)).toBeNull();
    expect((await desk.events(active.id)).map(({ type }) => type)).toEqual([
      'domain.created',
      'domain.updated',
      'domain.deleted',
    ]);
  });
});

describe('a name that two accounts want', () => {
  it('belongs to the first to publish its own key; the other waits, is told why, and follows when it is free', async () => {
    const mine = await activeDomain();
    const other = newAccountId();
    const theirs = await desk.entries.add(other, name);
    expect(recordOf(theirs, 'DKIM').name).not.toBe(recordOf(mine, 'DKIM').name);
    // The records of the first do not help the second.
    await desk.see(other, theirs.id, (view) => view.records[0].status === 'verified');
    expect(recordOf(await desk.view(other, theirs.id), 'DKIM')).toMatchObject({ status: 'pending' });
    publish(desk.dns, [recordOf(theirs, 'DKIM')]);
    const told = await desk.see(other, theirs.id, (view) => recordOf(view, 'DKIM').status === 'failed');
    expect(told.status).toBe('pending');
    expect(recordOf(told, 'DKIM').error).toContain('active in another account');
    expect((await desk.view(accountId, mine.id)).status).toBe('active');

    await desk.entries.remove(accountId, mine.id, () => Promise.resolve());
    await desk.see(other, theirs.id, (view) => view.status === 'active');
  });

  it('is never given without new DNS, though the first account left', async () => {
    const mine = await activeDomain();
    await desk.entries.remove(accountId, mine.id, () => Promise.resolve());
    const other = newAccountId();
    const theirs = await desk.entries.add(other, name);
    await wait(5 * INTERVAL_MS);
    const seen = await desk.view(other, theirs.id);
    expect([seen.status, recordOf(seen, 'DKIM').status]).toEqual(['pending', 'pending']);
    // Neither to the first, who comes back to another selector.
    const back = await desk.entries.add(accountId, name);
    await wait(3 * INTERVAL_MS);
    expect((await desk.view(accountId, back.id)).status).toBe('pending');
  });

  it('has one owner, however many publish at once and however many verifiers look', async () => {
    desk.watch();
    const accounts = Array.from({ length: 6 }, newAccountId);
    const added = await Promise.all(accounts.map((account) => desk.entries.add(account, name)));
    for (const view of added) publish(desk.dns, required(view));
    await wait(5 * INTERVAL_MS);
    const seen = await Promise.all(accounts.map((account, i) => desk.view(account, added[i].id)));
    expect(seen.map((view) => view.status).sort()).toEqual(['active', ...Array<string>(5).fill('pending')]);
    for (const view of seen.filter(({ status }) => status === 'pending'))
      expect(recordOf(view, 'DKIM').error).toContain('another account');
  });
});

describe('name servers that never answer', () => {
  /** An account whose domains lie there; keys are made for the first alone. */
  const silence = async (at: DomainDesk, entries: number) => {
    const owner = newAccountId();
    const { id } = await at.entries.add(owner, at.newName());
    await at.db.database.query(
      `INSERT INTO domains (id, account_id, name, selector, due_at)
       SELECT 'dom_' || lpad(n::text, 32, '0'), account_id, n || '.' || name, selector, due_at - interval '1 hour'
         FROM domains, generate_series(2, $2::int) AS n WHERE id = $1`,
      [id, entries],
    );
    const added = await at.domains.list(owner);
    for (const { records } of added) for (const record of records) at.dns.set(record.name, { fault: 'silent' });
    return { owner, added };
  };

  it('hold up nobody else', async () => {
    const busy = await openDomainDesk();
    try {
      const { added } = await silence(busy, 60);
      // They have been due for longer.
      const mine = await busy.entries.add(accountId, name);
      publish(busy.dns, required(mine));
      busy.watch();
      await busy.see(accountId, mine.id, (view) => view.status === 'active');
      const { rows } = await busy.db.database.query('SELECT id FROM domains WHERE checked_at IS NOT NULL');
      expect([rows, added.length]).toEqual([[{ id: mine.id }], 60]);
    } finally {
      await busy.close();
    }
  });

  it('do not hold up the stop either, and the domain is due again', async () => {
    const busy = await openDomainDesk();
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
  it('are all asked before a record counts as absent: a stale one holds nobody up', async () => {
    const stale = await LocalDns.start();
    const fresh = await LocalDns.start();
    const other = await openDomainDesk({ DNS_SERVERS: `${stale.address},${fresh.address}` });
    try {
      other.watch();
      const added = await other.entries.add(accountId, name);
      publish(fresh, required(added));
      await other.see(accountId, added.id, (view) => view.status === 'active');
      expect(stale.questions.length).toBeGreaterThan(0);
      expect(other.dns.questions).toEqual([]);
    } finally {
      await other.close();
      await Promise.all([stale.close(), fresh.close()]);
    }
  });
});

import { wholeAccount } from '#libs/contracts';
import { DkimZone, type DomainView } from '#libs/domains';
import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../support/timing/clock.js';
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
const SERVICE = 'postloft.test';
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let fixture: DomainsFixture;
let accountId: string;
let name: string;

beforeAll(async () => {
  fixture = await openDomainsFixture();
  fixture.startVerifier();
  fixture.startVerifier();
});
afterAll(() => fixture.close());
beforeEach(() => {
  accountId = newAccountId();
  name = fixture.newName();
});

const lookNow = (id: string) => fixture.db.database.query('UPDATE domains SET due_at = now() WHERE id = $1', [id]);
const see = (id: string, what: (view: DomainView) => boolean) => fixture.waitFor(accountId, id, what);
const rotate = async (id: string) =>
  (await fixture.rotation.rotate({ visibility: wholeAccount(accountId), id })) ?? expect.fail();
const keyRecords = (view: DomainView) => view.records.filter(({ record }) => record === 'DKIM');
/** By the suffix of its selector: `''`, `e`, `2`, `2e`. */
const keyRecord = (view: DomainView, at: string) => {
  const [, base] = /^(pl.{8})/.exec(view.dkim.cnames[0].name) ?? [];
  return keyRecords(view).find((record) => record.name === `${base}${at}._domainkey.${name}`) ?? expect.fail(at);
};
const stateOf = (view: DomainView) => view.dkim.rotation?.status ?? null;
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code: string; details: { code: string }[] }) => `${error.code} ${error.details[0].code}`,
  );
const selectors = async (id: string, keys = fixture.newKeys()) =>
  (await keys.signingKeys(id)).map(({ selector }) => selector.slice(10));

async function activeDomain(records = required): Promise<DomainView> {
  const added = await fixture.entries.add(accountId, name);
  publish(fixture.dns, records(added));
  return see(added.id, (view) => view.status === 'active');
}
/** Moves the end of replaced keys into the past, as if eight days had passed. */
async function outlive(id: string): Promise<void> {
  await fixture.db.database.query(
    `UPDATE domain_keys SET retire_at = retire_at - interval '8 days' WHERE domain_id = $1 AND state = 'retired'`,
    [id],
  );
  await lookNow(id);
}
/** Whether a record verifies the signature of a key. */
function verifies({ value }: { value: string }, privateKey: KeyObject): boolean {
  const key = createPublicKey({ key: Buffer.from(value.split('p=')[1], 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from('a letter'), key, sign('sha256', Buffer.from('a letter'), privateKey));
}

describe('a rotation by a second record', () => {
  it('lists the next records, switches when they are found, keeps the old ones for a week, and then reuses their names', async () => {
    const active = await activeDomain();
    expect(active.dkim).toMatchObject({ rotation: null, signing_since: expect.any(String) });
    const begun = await rotate(active.id);
    expect(stateOf(begun)).toBe('pending');
    expect(keyRecord(begun, '2')).toMatchObject({ type: 'TXT', required: false, status: 'pending' });
    expect(keyRecords(begun)).toHaveLength(4);
    await wait(3 * INTERVAL_MS);
    expect(await selectors(active.id)).toEqual(['']);

    publish(fixture.dns, [keyRecord(begun, '2')]);
    const switched = await see(active.id, (view) => stateOf(view) === 'switched');
    const { verified_at, switched_at, keep_old_until } = switched.dkim.rotation ?? expect.fail();
    expect(Date.parse(switched_at ?? '') - Date.parse(verified_at ?? '')).toBeGreaterThanOrEqual(INTERVAL_MS);
    expect(Date.parse(keep_old_until ?? '') - Date.parse(switched_at ?? '')).toBe(7 * 86_400_000);
    expect(switched.dkim.signing_since).toBe(switched_at);
    expect(switched.warning_since).toBeNull();
    expect(keyRecord(switched, '2')).toMatchObject({ status: 'verified', required: true, error: null });
    expect(keyRecord(switched, '')).toMatchObject({
      status: 'verified',
      required: false,
      error: expect.stringContaining(`removed after ${keep_old_until?.slice(0, 10)}`),
    });
    const [rsa, ...others] = await fixture.newKeys().signingKeys(active.id);
    expect([rsa.selector.slice(10), others]).toEqual(['2', []]);
    expect(verifies(keyRecord(switched, '2'), rsa.privateKey)).toBe(true);
    expect(await refused(rotate(active.id))).toBe('conflict rotation_too_soon');

    fixture.dns.remove(keyRecord(switched, '').name);
    await outlive(active.id);
    const over = await see(active.id, (view) => view.dkim.rotation === null);
    expect(keyRecords(over).map((record) => record.name.slice(10).split('.')[0])).toEqual(['2', '2e']);
    const { rows } = await fixture.db.database.query('SELECT 1 FROM domain_keys WHERE domain_id = $1', [active.id]);
    expect(rows).toHaveLength(2);
    expect(over.status).toBe('active');

    const again = await rotate(active.id);
    expect(keyRecord(again, '').value).not.toBe(keyRecord(active, '').value);
    publish(fixture.dns, [keyRecord(again, '')]);
    await see(active.id, (view) => stateOf(view) === 'switched');
    expect(await selectors(active.id)).toEqual(['']);
    expect((await fixture.events(active.id)).map(({ sequence, data }) => [sequence, data.reason])).toEqual(
      [
        ...['created', 'verified', 'dkim_rotating', 'dkim_switched', 'dkim_retired'],
        ...['dkim_rotating', 'dkim_switched'],
      ].map((reason, i) => [i + 1, reason]),
    );
  });

  it('takes effect in every process within a second', async () => {
    const active = await activeDomain();
    const processes = [fixture.newKeys(), fixture.newKeys()];
    const all = () => Promise.all(processes.map((keys) => selectors(active.id, keys)));
    expect(await all()).toEqual([[''], ['']]);
    publish(fixture.dns, [keyRecord(await rotate(active.id), '2')]);
    await see(active.id, (view) => stateOf(view) === 'switched');
    passTime(1_000);
    expect(await all()).toEqual([['2'], ['2']]);
  });

  it('switches both keys where mail has both signatures', async () => {
    const active = await activeDomain((view) => [...required(view), keyRecord(view, 'e')]);
    await until(async () => expect(await selectors(active.id)).toEqual(['', 'e']));
    const begun = await rotate(active.id);
    publish(fixture.dns, [keyRecord(begun, '2')]);
    await see(active.id, (view) => keyRecord(view, '2').status === 'verified');
    await wait(4 * INTERVAL_MS);
    expect(await selectors(active.id)).toEqual(['', 'e']);
    publish(fixture.dns, [keyRecord(begun, '2e')]);
    await see(active.id, (view) => stateOf(view) === 'switched');
    expect(await selectors(active.id)).toEqual(['2', '2e']);
  });

  it('does not switch with a wrong record, a second one beside the right one, or a failing server', async () => {
    const active = await activeDomain();
    const { name: at, value } = keyRecord(await rotate(active.id), '2');
    for (const records of [
      { TXT: [keyRecord(active, '').value] },
      { TXT: [value, keyRecord(active, '').value] },
      { TXT: [value], fault: 'SERVFAIL' as const },
      { TXT: [value.slice(0, -30)] },
    ]) {
      fixture.dns.set(at, records);
      await wait(4 * INTERVAL_MS);
      expect(stateOf(await fixture.view(accountId, active.id))).toBe('pending');
    }
    expect(keyRecord(await fixture.view(accountId, active.id), '2')).toMatchObject({
      status: 'failed',
      observed: [value.slice(0, -30)],
      error: expect.stringContaining('cut off'),
    });
    fixture.dns.set(at, { TXT: [value] });
    await see(active.id, (view) => stateOf(view) === 'switched');
  });

  it('keeps a domain active whose owner replaced the old record too early', async () => {
    const active = await activeDomain();
    const begun = await rotate(active.id);
    fixture.dns.remove(keyRecord(active, '').name);
    await see(active.id, (view) => view.warning_since !== null);
    publish(fixture.dns, [keyRecord(begun, '2')]);
    const saved = await see(active.id, (view) => stateOf(view) === 'switched' && view.warning_since === null);
    expect(saved.status).toBe('active');
    expect(keyRecord(saved, '').error).toContain('Put the record back');
  });

  it('begins once for concurrent requests, and only for an active domain', async () => {
    const pending = await fixture.entries.add(accountId, name);
    expect(await refused(rotate(pending.id))).toBe('conflict not_active');
    publish(fixture.dns, required(pending));
    await see(pending.id, (view) => view.status === 'active');
    const answers = await Promise.all(Array.from({ length: 6 }, () => refused(rotate(pending.id))));
    expect(answers.sort()).toEqual([...Array<string>(5).fill('conflict rotation_pending'), 'done']);
    const { rows } = await fixture.db.database.query('SELECT 1 FROM domain_keys WHERE domain_id = $1', [pending.id]);
    expect(rows).toHaveLength(4);
    expect(await fixture.rotation.rotate({ visibility: wholeAccount(newAccountId()), id: pending.id })).toBeNull();
    expect(await fixture.rotation.cancel({ visibility: wholeAccount(newAccountId()), id: pending.id })).toBeNull();
  });

  it('needs two checks and can be canceled between them, and the first check does not count for later keys', async () => {
    const calm = await openDomainsFixture({ DOMAIN_CHECK_INTERVAL: '60s' });
    try {
      const look = async (id: string) => {
        await calm.db.database.query('UPDATE domains SET due_at = now() WHERE id = $1', [id]);
        for (const check of await calm.verifier.claim(1)) await calm.verifier.check(check);
        return calm.view(accountId, id);
      };
      const aMinuteLater = () =>
        calm.db.database.query(`UPDATE domain_keys SET verified_at = verified_at - interval '1 minute'`);
      const added = await calm.entries.add(accountId, name);
      publish(calm.dns, required(added));
      const request = { visibility: wholeAccount(accountId), id: added.id };
      expect((await look(added.id)).status).toBe('active');
      const begun = (await calm.rotation.rotate(request)) ?? expect.fail();
      publish(calm.dns, [keyRecord(begun, '2')]);
      for (let i = 0; i < 3; i += 1) expect(stateOf(await look(added.id))).toBe('verified');

      const kept = (await calm.rotation.cancel(request)) ?? expect.fail();
      expect([kept.dkim.rotation, keyRecords(kept).length]).toEqual([null, 2]);
      expect(await refused(calm.rotation.cancel(request))).toBe('conflict not_rotating');
      const again = (await calm.rotation.rotate(request)) ?? expect.fail();
      expect(keyRecord(again, '2')).toMatchObject({ status: 'pending', observed: [], error: null });
      expect(keyRecord(await look(added.id), '2').error).toContain('Another key');
      publish(calm.dns, [keyRecord(again, '2')]);
      expect(stateOf(await look(added.id))).toBe('verified');
      await aMinuteLater();
      expect(stateOf(await look(added.id))).toBe('switched');
      expect(await refused(calm.rotation.cancel(request))).toBe('conflict not_rotating');
    } finally {
      await calm.close();
    }
  });

  it('leaves no rows when the domain is removed', async () => {
    const active = await activeDomain();
    await rotate(active.id);
    await fixture.entries.remove(wholeAccount(accountId), active.id, () => Promise.resolve());
    const { rows } = await fixture.db.database.query('SELECT 1 FROM domain_keys WHERE domain_id = $1', [active.id]);
    expect(rows).toEqual([]);
    await expect(fixture.newKeys().signingKeys(active.id)).rejects.toThrow();
  });

  it('waits for the last of several servers', async () => {
    const [one, other] = [await LocalDns.start(), await LocalDns.start()];
    const two = await openDomainsFixture({ DNS_SERVERS: `${one.address},${other.address}` });
    try {
      two.startVerifier();
      const added = await two.entries.add(accountId, name);
      for (const dns of [one, other]) publish(dns, required(added));
      await two.waitFor(accountId, added.id, (view) => view.status === 'active');
      const begun = (await two.rotation.rotate({ visibility: wholeAccount(accountId), id: added.id })) ?? expect.fail();
      publish(one, [keyRecord(begun, '2')]);
      await wait(5 * INTERVAL_MS);
      expect(stateOf(await two.view(accountId, added.id))).toBe('pending');
      publish(other, [keyRecord(begun, '2')]);
      await two.waitFor(accountId, added.id, (view) => stateOf(view) === 'switched');
    } finally {
      await two.close();
      await Promise.all([one.close(), other.close()]);
    }
  });
});

describe('a rotation by aliases', () => {
  const zone = () => new DkimZone(fixture.db.database, SERVICE).records();
  const publishZone = async () => {
    for (const { name: at, value } of await zone()) fixture.dns.set(at, { TXT: [value] });
  };
  async function aliasedDomain(): Promise<DomainView> {
    const added = await fixture.entries.add(accountId, name);
    for (const { name: at, value } of added.dkim.cnames) fixture.dns.set(at, { CNAME: value });
    publish(
      fixture.dns,
      required(added).filter(({ record }) => record !== 'DKIM'),
    );
    const waiting = await see(added.id, (view) => recordOf(view, 'DKIM').error !== null);
    expect(recordOf(waiting, 'DKIM').error).toContain('the service has not published');
    await publishZone();
    return see(added.id, (view) => view.status === 'active' && keyRecord(view, 'e').status === 'verified');
  }

  it('needs no action of the owner, in both directions between two names', async () => {
    const active = await aliasedDomain();
    expect(keyRecords(active).map(({ cname }) => cname)).toEqual([
      active.dkim.cnames[0].value,
      active.dkim.cnames[2].value,
    ]);
    for (const [at, other] of [
      ['2', ''],
      ['', '2'],
    ]) {
      await rotate(active.id);
      await publishZone();
      await see(active.id, (view) => stateOf(view) === 'switched');
      expect(await selectors(active.id)).toEqual([at, `${at}e`]);
      // The old keys are still in the zone, for mail in transit.
      const published = new Set((await zone()).map((record) => record.name));
      expect(active.dkim.cnames.every(({ value }) => published.has(value))).toBe(true);
      await outlive(active.id);
      await see(active.id, (view) => view.dkim.rotation === null);
      const left = (await zone()).filter((record) => record.name.startsWith(keyRecord(active, '').name.slice(0, 10)));
      expect(left.some((record) => record.name.split('.')[0].slice(10) === other)).toBe(false);
    }
  });

  it('begins automatically at the configured age, where the next names are aliases', async () => {
    const old = await openDomainsFixture({ DKIM_ROTATION_DAYS: '30' });
    try {
      old.startVerifier();
      const make = async (aliased: boolean) => {
        const owner = newAccountId();
        const added = await old.entries.add(owner, old.newName());
        if (aliased) for (const { name: at, value } of added.dkim.cnames) old.dns.set(at, { CNAME: value });
        const toPublish = required(added).map((record) => {
          const target = aliased ? record.cname : null;
          return { ...record, name: target ?? record.name };
        });
        publish(old.dns, toPublish);
        return old.waitFor(owner, added.id, (view) => view.status === 'active').then(({ id }) => ({ owner, id }));
      };
      const [aliased, plain] = [await make(true), await make(false)];
      const age = (days: number) =>
        old.db.database.query(`UPDATE domain_keys SET created_at = now() - make_interval(days => $1)`, [days]);
      const look = () => old.db.database.query('UPDATE domains SET due_at = now()');
      await age(29);
      await look();
      await wait(5 * INTERVAL_MS);
      expect(stateOf(await old.view(aliased.owner, aliased.id))).toBeNull();
      await age(31);
      await look();
      await old.waitFor(aliased.owner, aliased.id, (view) => stateOf(view) === 'pending');
      expect(stateOf(await old.view(plain.owner, plain.id))).toBeNull();
    } finally {
      await old.close();
    }
  });

  it('returns its records as lines of a zone file, in strings of valid length', async () => {
    await fixture.entries.add(accountId, name);
    const lines = (await zone()).map((record) => DkimZone.line(record));
    const line = /^pl[a-z2-7]{8}2?e?\.[0-9a-f]{32}\.dkim\.postloft\.test\. 3600 IN TXT ((?:"[^"]{1,255}" ?)+)$/;
    for (const each of lines) expect(each).toMatch(line);
    expect(lines.some((each) => each.includes('k=rsa') && each.split('" "').length === 2)).toBe(true);
  });
});

describe('the keys of a vouched domain', () => {
  it('wait for DNS like others, or switch at once on command of the operator', async () => {
    const { id } = await fixture.domains.addVouched(accountId, name);
    const begun = await rotate(id);
    await see(id, (view) => keyRecord(view, '2').error !== null);
    expect(await selectors(id)).toEqual(['', 'e']);
    publish(fixture.dns, [keyRecord(begun, '2'), keyRecord(begun, '2e')]);
    const switched = await see(id, (view) => stateOf(view) === 'switched');
    expect([switched.status, keyRecord(switched, '2').status]).toEqual(['active', 'vouched']);
    expect(await selectors(id)).toEqual(['2', '2e']);
    await outlive(id);
    await see(id, (view) => view.dkim.rotation === null);
    const due = () =>
      fixture.db.database.query<{ due: Date | null }>('SELECT due_at AS due FROM domains WHERE id = $1', [id]);
    expect((await due()).rows).toEqual([{ due: null }]);

    await rotate(id);
    const forced = (await fixture.rotation.force({ visibility: wholeAccount(accountId), id })) ?? expect.fail();
    expect(stateOf(forced)).toBe('switched');
    expect(await selectors(id)).toEqual(['', 'e']);
  });

  it('are the only ones that can be switched on command', async () => {
    const active = await activeDomain();
    await rotate(active.id);
    expect(await refused(fixture.rotation.force({ visibility: wholeAccount(accountId), id: active.id }))).toBe(
      'conflict not_vouched',
    );
  });
});

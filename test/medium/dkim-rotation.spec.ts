import { DkimZone, zoneLine, type DomainView } from '#libs/domains';
import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newAccountId, openDomainDesk, publish, recordOf, required, type DomainDesk } from '../support/domain-desk.js';
import { LocalDns } from '../support/local-dns.js';
import { until } from '../support/until.js';

const INTERVAL_MS = 100;
const SERVICE = 'postloft.test';
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let desk: DomainDesk;
let accountId: string;
let name: string;

beforeAll(async () => {
  desk = await openDomainDesk();
  desk.watch();
  desk.watch();
});
afterAll(() => desk.close());
beforeEach(() => {
  accountId = newAccountId();
  name = desk.newName();
});

const lookNow = (id: string) => desk.db.database.query('UPDATE domains SET due_at = now() WHERE id = $1', [id]);
const see = (id: string, what: (view: DomainView) => boolean) => desk.see(accountId, id, what);
const rotate = async (id: string) => (await desk.rotation.rotate({ accountId, id })) ?? expect.fail();
const keyRecords = (view: DomainView) => view.records.filter(({ record }) => record === 'DKIM');
/** By the part of its selector behind the name of the entry: `''`, `e`, `2`, `2e`. */
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
const selectors = async (id: string, keys = desk.newKeys()) =>
  (await keys.signingKeys(id)).map(({ selector }) => selector.slice(10));

async function activeDomain(records = required): Promise<DomainView> {
  const added = await desk.entries.add(accountId, name);
  publish(desk.dns, records(added));
  return see(added.id, (view) => view.status === 'active');
}
/** Eight days later, as far as the replaced keys are concerned. */
async function outlive(id: string): Promise<void> {
  await desk.db.database.query(
    `UPDATE domain_keys SET retire_at = retire_at - interval '8 days' WHERE domain_id = $1 AND state = 'retired'`,
    [id],
  );
  await lookNow(id);
}
/** Whether a record verifies what a key signs. */
function verifies({ value }: { value: string }, privateKey: KeyObject): boolean {
  const key = createPublicKey({ key: Buffer.from(value.split('p=')[1], 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from('a letter'), key, sign('sha256', Buffer.from('a letter'), privateKey));
}

describe('a rotation by a second record', () => {
  it('shows the next records, switches when they stand, keeps the old ones for a week, and then uses their names', async () => {
    const active = await activeDomain();
    expect(active.dkim).toMatchObject({ rotation: null, signing_since: expect.any(String) });
    const begun = await rotate(active.id);
    expect(stateOf(begun)).toBe('pending');
    expect(keyRecord(begun, '2')).toMatchObject({ type: 'TXT', required: false, status: 'pending' });
    expect(keyRecords(begun)).toHaveLength(4);
    await wait(3 * INTERVAL_MS);
    expect(await selectors(active.id)).toEqual(['']);

    publish(desk.dns, [keyRecord(begun, '2')]);
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
    const [rsa, ...others] = await desk.newKeys().signingKeys(active.id);
    expect([rsa.selector.slice(10), others]).toEqual(['2', []]);
    expect(verifies(keyRecord(switched, '2'), rsa.privateKey)).toBe(true);
    expect(await refused(rotate(active.id))).toBe('conflict rotation_too_soon');

    desk.dns.remove(keyRecord(switched, '').name);
    await outlive(active.id);
    const over = await see(active.id, (view) => view.dkim.rotation === null);
    expect(keyRecords(over).map((record) => record.name.slice(10).split('.')[0])).toEqual(['2', '2e']);
    const { rows } = await desk.db.database.query('SELECT 1 FROM domain_keys WHERE domain_id = $1', [active.id]);
    expect(rows).toHaveLength(2);
    expect(over.status).toBe('active');

    const again = await rotate(active.id);
    expect(keyRecord(again, '').value).not.toBe(keyRecord(active, '').value);
    publish(desk.dns, [keyRecord(again, '')]);
    await see(active.id, (view) => stateOf(view) === 'switched');
    expect(await selectors(active.id)).toEqual(['']);
    expect((await desk.events(active.id)).map(({ sequence, data }) => [sequence, data.reason])).toEqual(
      [
        ...['created', 'verified', 'dkim_rotating', 'dkim_switched', 'dkim_retired'],
        ...['dkim_rotating', 'dkim_switched'],
      ].map((reason, i) => [i + 1, reason]),
    );
  });

  it('counts in every process within a second', async () => {
    const active = await activeDomain();
    const processes = [desk.newKeys(), desk.newKeys()];
    const all = () => Promise.all(processes.map((keys) => selectors(active.id, keys)));
    expect(await all()).toEqual([[''], ['']]);
    publish(desk.dns, [keyRecord(await rotate(active.id), '2')]);
    const { dkim } = await see(active.id, (view) => stateOf(view) === 'switched');
    await wait(Date.parse(dkim.rotation?.switched_at ?? '') + 1_000 - Date.now());
    expect(await all()).toEqual([['2'], ['2']]);
  });

  it('takes both keys along where mail carries both signatures', async () => {
    const active = await activeDomain((view) => [...required(view), keyRecord(view, 'e')]);
    await until(async () => expect(await selectors(active.id)).toEqual(['', 'e']));
    const begun = await rotate(active.id);
    publish(desk.dns, [keyRecord(begun, '2')]);
    await see(active.id, (view) => keyRecord(view, '2').status === 'verified');
    await wait(4 * INTERVAL_MS);
    expect(await selectors(active.id)).toEqual(['', 'e']);
    publish(desk.dns, [keyRecord(begun, '2e')]);
    await see(active.id, (view) => stateOf(view) === 'switched');
    expect(await selectors(active.id)).toEqual(['2', '2e']);
  });

  it('does not happen on a wrong record, on a second one beside the right one, or on a failing server', async () => {
    const active = await activeDomain();
    const { name: at, value } = keyRecord(await rotate(active.id), '2');
    for (const records of [
      { TXT: [keyRecord(active, '').value] },
      { TXT: [value, keyRecord(active, '').value] },
      { TXT: [value], fault: 'SERVFAIL' as const },
      { TXT: [value.slice(0, -30)] },
    ]) {
      desk.dns.set(at, records);
      await wait(4 * INTERVAL_MS);
      expect(stateOf(await desk.view(accountId, active.id))).toBe('pending');
    }
    expect(keyRecord(await desk.view(accountId, active.id), '2')).toMatchObject({
      status: 'failed',
      observed: [value.slice(0, -30)],
      error: expect.stringContaining('cut off'),
    });
    desk.dns.set(at, { TXT: [value] });
    await see(active.id, (view) => stateOf(view) === 'switched');
  });

  it('saves a domain whose owner replaced the old record too early', async () => {
    const active = await activeDomain();
    const begun = await rotate(active.id);
    desk.dns.remove(keyRecord(active, '').name);
    await see(active.id, (view) => view.warning_since !== null);
    publish(desk.dns, [keyRecord(begun, '2')]);
    const saved = await see(active.id, (view) => stateOf(view) === 'switched' && view.warning_since === null);
    expect(saved.status).toBe('active');
    expect(keyRecord(saved, '').error).toContain('Put the record back');
  });

  it('is begun once, however many ask, and only for an active domain', async () => {
    const pending = await desk.entries.add(accountId, name);
    expect(await refused(rotate(pending.id))).toBe('conflict not_active');
    publish(desk.dns, required(pending));
    await see(pending.id, (view) => view.status === 'active');
    const answers = await Promise.all(Array.from({ length: 6 }, () => refused(rotate(pending.id))));
    expect(answers.sort()).toEqual([...Array<string>(5).fill('conflict rotation_pending'), 'done']);
    const { rows } = await desk.db.database.query('SELECT 1 FROM domain_keys WHERE domain_id = $1', [pending.id]);
    expect(rows).toHaveLength(4);
    expect(await desk.rotation.rotate({ accountId: newAccountId(), id: pending.id })).toBeNull();
    expect(await desk.rotation.cancel({ accountId: newAccountId(), id: pending.id })).toBeNull();
  });

  it('needs two looks, can be canceled between them, and what was seen does not help the next keys', async () => {
    const calm = await openDomainDesk({ DOMAIN_CHECK_INTERVAL: '60s' });
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
      const request = { accountId, id: added.id };
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

  it('leaves nothing when the domain is removed', async () => {
    const active = await activeDomain();
    await rotate(active.id);
    await desk.entries.remove(accountId, active.id, () => Promise.resolve());
    const { rows } = await desk.db.database.query('SELECT 1 FROM domain_keys WHERE domain_id = $1', [active.id]);
    expect(rows).toEqual([]);
    await expect(desk.newKeys().signingKeys(active.id)).rejects.toThrow();
  });

  it('waits for the last of several servers', async () => {
    const [one, other] = [await LocalDns.start(), await LocalDns.start()];
    const two = await openDomainDesk({ DNS_SERVERS: `${one.address},${other.address}` });
    try {
      two.watch();
      const added = await two.entries.add(accountId, name);
      for (const dns of [one, other]) publish(dns, required(added));
      await two.see(accountId, added.id, (view) => view.status === 'active');
      const begun = (await two.rotation.rotate({ accountId, id: added.id })) ?? expect.fail();
      publish(one, [keyRecord(begun, '2')]);
      await wait(5 * INTERVAL_MS);
      expect(stateOf(await two.view(accountId, added.id))).toBe('pending');
      publish(other, [keyRecord(begun, '2')]);
      await two.see(accountId, added.id, (view) => stateOf(view) === 'switched');
    } finally {
      await two.close();
      await Promise.all([one.close(), other.close()]);
    }
  });
});

describe('a rotation by aliases', () => {
  const zone = () => new DkimZone(desk.db.database, SERVICE).records();
  const publishZone = async () => {
    for (const { name: at, value } of await zone()) desk.dns.set(at, { TXT: [value] });
  };
  async function aliasedDomain(): Promise<DomainView> {
    const added = await desk.entries.add(accountId, name);
    for (const { name: at, value } of added.dkim.cnames) desk.dns.set(at, { CNAME: value });
    publish(
      desk.dns,
      required(added).filter(({ record }) => record !== 'DKIM'),
    );
    const waiting = await see(added.id, (view) => recordOf(view, 'DKIM').error !== null);
    expect(recordOf(waiting, 'DKIM').error).toContain('the service has not published');
    await publishZone();
    return see(added.id, (view) => view.status === 'active' && keyRecord(view, 'e').status === 'verified');
  }

  it('needs nothing from the owner, back and forth between two names', async () => {
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
      // The old keys are still in the zone, for mail that is on its way.
      const published = new Set((await zone()).map((record) => record.name));
      expect(active.dkim.cnames.every(({ value }) => published.has(value))).toBe(true);
      await outlive(active.id);
      await see(active.id, (view) => view.dkim.rotation === null);
      const left = (await zone()).filter((record) => record.name.startsWith(keyRecord(active, '').name.slice(0, 10)));
      expect(left.some((record) => record.name.split('.')[0].slice(10) === other)).toBe(false);
    }
  });

  it('begins by itself at the age that is set, where the next names are aliases', async () => {
    const old = await openDomainDesk({ DKIM_ROTATION_DAYS: '30' });
    try {
      old.watch();
      const make = async (aliased: boolean) => {
        const owner = newAccountId();
        const added = await old.entries.add(owner, old.newName());
        if (aliased) for (const { name: at, value } of added.dkim.cnames) old.dns.set(at, { CNAME: value });
        const toPublish = required(added).map((record) => {
          const target = aliased ? record.cname : null;
          return { ...record, name: target ?? record.name };
        });
        publish(old.dns, toPublish);
        return old.see(owner, added.id, (view) => view.status === 'active').then(({ id }) => ({ owner, id }));
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
      await old.see(aliased.owner, aliased.id, (view) => stateOf(view) === 'pending');
      expect(stateOf(await old.view(plain.owner, plain.id))).toBeNull();
    } finally {
      await old.close();
    }
  });

  it('has its records as lines of a zone file, in strings that a name server takes', async () => {
    await desk.entries.add(accountId, name);
    const lines = (await zone()).map(zoneLine);
    const line = /^pl[a-z2-7]{8}2?e?\.[0-9a-f]{32}\.dkim\.postloft\.test\. 3600 IN TXT ((?:"[^"]{1,255}" ?)+)$/;
    for (const each of lines) expect(each).toMatch(line);
    expect(lines.some((each) => each.includes('k=rsa') && each.split('" "').length === 2)).toBe(true);
  });
});

describe('the keys of a vouched domain', () => {
  it('wait for DNS like others, or switch at once when the operator says so', async () => {
    const { id } = await desk.domains.addVouched(accountId, name);
    const begun = await rotate(id);
    await see(id, (view) => keyRecord(view, '2').error !== null);
    expect(await selectors(id)).toEqual(['', 'e']);
    publish(desk.dns, [keyRecord(begun, '2'), keyRecord(begun, '2e')]);
    const switched = await see(id, (view) => stateOf(view) === 'switched');
    expect([switched.status, keyRecord(switched, '2').status]).toEqual(['active', 'verified']);
    expect(await selectors(id)).toEqual(['2', '2e']);
    await outlive(id);
    await see(id, (view) => view.dkim.rotation === null);
    const due = () =>
      desk.db.database.query<{ due: Date | null }>('SELECT due_at AS due FROM domains WHERE id = $1', [id]);
    expect((await due()).rows).toEqual([{ due: null }]);

    await rotate(id);
    const forced = (await desk.rotation.force({ accountId, id })) ?? expect.fail();
    expect(stateOf(forced)).toBe('switched');
    expect(await selectors(id)).toEqual(['', 'e']);
  });

  it('are the only ones that can be forced', async () => {
    const active = await activeDomain();
    await rotate(active.id);
    expect(await refused(desk.rotation.force({ accountId, id: active.id }))).toBe('conflict not_vouched');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountEntity, Accounts } from '#libs/accounts';
import { DeliveryPolicies, DomainEntity, SendingDomains } from '#libs/domains';
import { SecretBox } from '#libs/kernel';
import type { StoredStsPolicy } from '#libs/mta';
import { StoredStsPolicies } from '../../../libs/queue/src/tls-policy/stored-sts-policies.js';
import { stsFetch } from '../../../libs/queue/src/tls-policy/sts-fetch.js';
import { passTime } from '../../support/timing/clock.js';
import { testConfig } from '../../support/persistence/database.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import { policyFile, PolicyServer } from '../../support/mail-servers/policy-server.js';
import { testAuthority } from '../../support/fixtures/self-signed-certificate.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

let db: OpenTestDatabase;

beforeAll(async () => {
  db = await createTestDatabase([AccountEntity, DomainEntity]);
});
afterAll(() => db.close());

const policy = (id: string, agoSeconds: number, maxAgeSeconds = 3_600): StoredStsPolicy => ({
  id,
  policy: { mode: 'enforce', mx: ['mx.to.test', '*.to.test'], maxAgeSeconds },
  fetchedAt: new Date(Date.now() - agoSeconds * 1_000),
});

describe('MTA-STS policies of other domains', () => {
  it('are found as they were kept, by every process, until they run out', async () => {
    const [one, other] = [new StoredStsPolicies(db.database), new StoredStsPolicies(db.database)];
    const kept = policy('1', 60);
    await one.keep('to.test', kept);
    expect(await other.find('to.test')).toEqual(kept);
    expect(await other.find('elsewhere.test')).toBeNull();
    await one.keep('over.test', policy('1', 3_601));
    expect(await other.find('over.test')).toBeNull();
  });

  it('stay the youngest when processes fetch at once', async () => {
    const policies = new StoredStsPolicies(db.database);
    await policies.keep('race.test', policy('new', 10));
    await policies.keep('race.test', policy('old', 20));
    expect(await policies.find('race.test')).toMatchObject({ id: 'new' });
    await policies.keep('race.test', policy('newer', 5));
    expect(await policies.find('race.test')).toMatchObject({ id: 'newer' });
  });

  it('are removed when they have run out', async () => {
    const policies = new StoredStsPolicies(db.database);
    await policies.keep('gone.test', policy('1', 7_200));
    await policies.keep('here.test', policy('1', 0));
    expect(await policies.prune()).toBeGreaterThan(0);
    expect(await policies.prune()).toBe(0);
    expect(await policies.find('here.test')).not.toBeNull();
  });
});

describe('the file of a policy', () => {
  it('is fetched from private addresses only where MX may be private, whatever webhooks may do', async () => {
    const policies = await PolicyServer.start(testAuthority());
    const dns = await LocalDns.start({ 'mta-sts.to.test': { A: ['127.0.0.1'] } });
    policies.set('to.test', { body: policyFile('enforce', 'mx.to.test') });
    const settings = { DNS_SERVERS: dns.address, MTA_STS_PORT: String(policies.port), ALLOW_PRIVATE_WEBHOOKS: 'true' };
    const fetchWith = (more: Record<string, string>) => stsFetch(testConfig(db.url, { ...settings, ...more }));
    expect(await fetchWith({})('mta-sts.to.test')).toEqual({
      kind: 'failed',
      reason: 'the policy file could not be fetched: target_refused',
    });
    // Its authority is trusted by nobody here.
    expect(await fetchWith({ ALLOW_PRIVATE_MX: 'true' })('mta-sts.to.test')).toEqual({
      kind: 'certificate',
      reason: 'the policy file could not be fetched: tls_failed',
    });
    expect(policies.asked).toEqual([]);
    await policies.close();
    await dns.close();
  });
});

describe('what a sending domain asks of delivery', () => {
  let accountId: string;
  let id: string;

  beforeAll(async () => {
    const box = new SecretBox(Buffer.alloc(32, 7));
    const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, box, db.config);
    const accounts = new Accounts(db.dataSource.getRepository(AccountEntity), db.database, box, db.config);
    ({ id: accountId } = await accounts.create({ name: 'Sender', plan: 'unlimited' }));
    ({ id } = await domains.addVouched(accountId, 'sender.example'));
  });

  it('is its setting, within a second of a change, and the most where there is no such domain', async () => {
    const policies = new DeliveryPolicies(db.database);
    const untracked = { trackingHost: null, trackingExclude: [] };
    const gone = {
      tls: 'enforced',
      returnPathOf: null,
      ...untracked,
      trackingPrivacy: true,
      tracksOnPublicHost: false,
    };
    expect(await policies.of(accountId, id)).toEqual({
      ...untracked,
      tls: 'opportunistic',
      returnPathOf: null,
      trackingPrivacy: false,
      tracksOnPublicHost: true,
    });
    expect(await policies.of('acc_stranger', id)).toEqual(gone);
    expect(await policies.of(accountId, 'dom_unknown')).toEqual(gone);
    await db.database.query(`UPDATE domains SET tls = 'enforced' WHERE id = $1`, [id]);
    passTime(1_000);
    expect(await policies.of(accountId, id)).toMatchObject({ tls: 'enforced' });
  });

  it.each([
    ['verified', null, 'sender.example'],
    ['verified', '2026-01-01T00:00:00.000Z', null],
    ['missing', null, null],
    ['wrong', null, null],
    ['unknown', null, null],
  ])('has bounces below the domain when its alias is %s and lost since %s: %s', async (status, lostSince, expected) => {
    const finding = { slot: 'return_path', status, lostSince, observed: [], error: null, checkedAt: null };
    const other = { ...finding, slot: 'tracking', status: 'verified', lostSince: null };
    await db.database.query(`UPDATE domains SET findings = $2 WHERE id = $1`, [id, JSON.stringify([other, finding])]);
    expect(await new DeliveryPolicies(db.database).of(accountId, id)).toMatchObject({ returnPathOf: expected });
  });
});

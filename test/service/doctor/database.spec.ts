import { ParkedEvents, StatisticsRecord } from '#libs/bus';
import { wholeAccount } from '#libs/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DkimZone, DomainEntity, SendingDomains } from '#libs/domains';
import { loadConfig, SecretBox } from '#libs/kernel';
import { ClockRecord, Partitions } from '#libs/persistence';
import { parseCommandLine } from '../../../apps/cli/src/commands/parse-command-line.js';
import type { CheckResult } from '../../../libs/doctor/src/check.js';
import { useDoctorFixture } from '../../support/doctor/doctor-fixture.js';
import { SERVICE } from '../../support/doctor/doctor-network.js';
import { newAccountId } from '../../support/fixtures/domains-fixture.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const fixture = useDoctorFixture();

describe('the database and its domains', () => {
  let db: OpenTestDatabase;
  let domains: SendingDomains;

  beforeEach(async () => {
    db = await createTestDatabase([DomainEntity]);
    await sql(`ALTER DATABASE ${new URL(db.url).pathname.slice(1)} RESET synchronous_commit`);
    Object.assign(fixture.env, { DATABASE_URL: db.url, MASTER_KEY });
    const repository = db.dataSource.getRepository(DomainEntity);
    domains = new SendingDomains(
      repository,
      db.database,
      new SecretBox(Buffer.alloc(32, 7)),
      loadConfig('cli', fixture.env),
    );
  });
  afterEach(() => db.close());

  const sql = (text: string, values: unknown[] = []) => db.database.query(text, values);
  const problems = (check: string, domain: string | null = null) => fixture.problems(check, { domain });

  it('are reported without problems', async () => {
    const account = newAccountId();
    await domains.addVouched(account, SERVICE);
    for (const { record, name, value } of (await domains.list(wholeAccount(account)))[0].records)
      if (record === 'DKIM') fixture.network.dns.set(name, { TXT: [value] });
    fixture.network.dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE} ~all`] });
    expect(await problems('engines')).toEqual([]);
    expect(await problems('domains')).toEqual([]);
  });

  it('are reported when the server may lose confirmed writes', async () => {
    const name = new URL(db.url).pathname.slice(1);
    await sql(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    expect(await problems('engines')).toMatchObject([
      {
        status: 'error',
        message: expect.stringContaining('synchronous_commit is off') as string,
        fix: expect.stringContaining('= on') as string,
      },
    ]);
  });

  it('are reported when the locale folds ASCII letters only', async () => {
    const name = `${new URL(db.url).pathname.slice(1)}_c`;
    const url = db.url.replace(new URL(db.url).pathname, `/${name}`);
    await sql(`CREATE DATABASE ${name} ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
    fixture.env['DATABASE_URL'] = url;
    expect(await problems('engines')).toContainEqual(
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('ASCII letters only') as string }),
    );
    await sql(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  it.each([
    ['a newer version', `INSERT INTO schema_migrations (timestamp, name) VALUES (1800000000002, 'Later1800000000002')`],
    ['a development version', `UPDATE schema_migrations SET name = 'NoStatistics1700000000024'`],
  ])('are reported when %s has migrated the database', async (version, change) => {
    await sql(change);
    const message = expect.stringContaining(`The database was made by ${version} (schema `) as string;
    expect(await problems('engines')).toMatchObject([{ status: 'error', subject: 'schema', message }]);
    expect(await fixture.run('domains')).toMatchObject([{ status: 'skipped', message }]);
  });

  it('are reported when migrations are missing', async () => {
    await sql('DROP SCHEMA public CASCADE');
    await sql('CREATE SCHEMA public');
    expect(await problems('engines')).toMatchObject([{ status: 'warning', subject: 'schema' }]);
    expect((await fixture.run('domains')).map(({ status }) => status)).toEqual(['skipped']);
  });

  it('are reported when a program has died', async () => {
    await sql(
      "INSERT INTO workers (id, program, data_dir, heartbeat_at) VALUES ('wrk_1', 'delivery', '/', now() - interval '1 minute')",
    );
    expect(await problems('engines')).toMatchObject([
      { subject: 'programs', message: expect.stringMatching(/delivery \(6\d s\)/) as string },
    ]);
  });

  it('are reported with a backlog of mail and events', async () => {
    await sql(
      `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, due_at, expires_at, is_due)
       SELECT 'em_' || i, 1, 'a@slow.example', 'slow.example', 'to', 'queued', now() - interval '10 minutes', now() + interval '1 day', true
         FROM generate_series(1, 3) AS i`,
    );
    await sql(
      `INSERT INTO outbox (event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data)
       VALUES ('{evt_1}', '{em_1}', '{1}', '{acc_1}', '{dom_1}', '{NULL}', '{email.queued}', '{false}',
               ARRAY[now() - interval '5 minutes'], '{"{}"}')`,
    );
    const found = await problems('engines');
    expect(found.map(({ subject }) => subject)).toEqual(['queue', 'events']);
    expect(found[0].message).toMatch(/slow\.example has been due for 10 minutes.*3 recipients/);
  });

  it('are reported with partitions that are missing, bypassed or late', async () => {
    await new Partitions(db.database).createAhead(new Date(Date.now() - 40 * 86_400_000), () => undefined, 0);
    await sql(`INSERT INTO email_contents (email_id, format, body) VALUES ('em_x', 'mime', '')`);
    const dropped = await new Partitions(db.database).expire('attempts', new Date(Date.now() + 9 * 86_400_000));
    expect(dropped.dropped).not.toEqual([]);
    const messages = (await problems('engines')).map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringMatching(/^attempts has no partition for today\./));
    expect(messages).toContainEqual(expect.stringMatching(/^email_contents_default has 1 rows, of days without/));
    expect(messages).toContainEqual(expect.stringMatching(/^email_contents still has 1 days /));
    expect(messages).toContainEqual(
      expect.stringMatching(/^request_log still has 1 days from .* whose time is over\./),
    );
  });

  it('are reported with events that a consumer could not handle', async () => {
    const undigested = { source: 'log', event: null, record: { key: null, value: null, headers: {} }, reason: 'why' };
    await new ParkedEvents(db.database).park('webhooks', [
      { ...undigested, position: 1 },
      { ...undigested, position: 2 },
    ]);
    expect(await problems('engines')).toMatchObject([
      {
        ...{ status: 'warning', subject: 'parked events', facts: { consumer: 'webhooks', parked: 2 } },
        message: expect.stringContaining('webhooks could not handle 2 events') as string,
        fix: expect.stringContaining('cli -- parked list') as string,
      },
    ]);
  });

  it('are reported with days of which statistics lack events', async () => {
    const totals = { stored: 9, counted: 9, grouped: 9 };
    const lacking = [{ table: 'recipient_events', found: 0, expected: 9 }];
    const record = new StatisticsRecord(db.database);
    await record.set(new Map([['2026-03-01', { totals, lacking }]]));
    expect(await problems('engines')).toMatchObject([
      {
        ...{ status: 'warning', subject: 'statistics', facts: { days: ['2026-03-01'], tables: ['recipient_events'] } },
        message: expect.stringContaining(
          'One day lacks events, which the event log no longer has: 2026-03-01.',
        ) as string,
        fix: expect.stringContaining('cli -- stats recover') as string,
      },
    ]);
    await record.set(new Map([['2026-03-01', { totals, lacking: [] }]]));
    expect(await problems('engines')).toEqual([]);
  });

  it('are reported when an active domain has lost a record', async () => {
    const { id } = await domains.addVouched(newAccountId(), 'lost.example');
    await sql('UPDATE domains SET vouched = false, warning_since = now() WHERE id = $1', [id]);
    const found = await problems('domains');
    expect(found.find(({ subject }) => subject === 'lost.example')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('has lost lost.example, ') as string,
      fix: expect.stringContaining('doctor --only domains --domain lost.example') as string,
    });
  });

  it('are named if nobody checks their records', async () => {
    await domains.addVouched(newAccountId(), 'vouched.example');
    const results = await fixture.run('domains');
    expect(results.filter(({ subject }) => subject === 'vouched domains')).toMatchObject([
      { status: 'skipped', message: expect.stringMatching(/^Not checked.*: vouched\.example\.$/) as string },
    ]);
    expect(results.find(({ subject }) => subject === 'active domains')?.message).toContain('Of those that are checked');
  });

  it('are reported record by record on request', async () => {
    await domains.addVouched(newAccountId(), 'shop.example');
    const found = await problems('domains', 'shop.example');
    expect(found.filter(({ status }) => status === 'error').map(({ subject, fix }) => [subject, fix])).toEqual([
      ['shop.example', `shop.example. TXT "v=spf1 include:spf.${SERVICE} ~all"`],
      [expect.stringContaining('._domainkey.shop.example'), expect.stringContaining('TXT "v=DKIM1') as string],
      ['_dmarc.shop.example', `_dmarc.shop.example. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}"`],
    ]);
    expect(await problems('domains', 'nobodys.example')).toContainEqual(
      expect.objectContaining({ subject: 'nobodys.example', status: 'error' }),
    );
  });

  it('are found by an internationalised name', async () => {
    await domains.addVouched(newAccountId(), 'bücher.example');
    const line = parseCommandLine(['doctor', '--only', 'domains', '--domain', 'BÜCHER.example.', '--json']);
    if (line.kind !== 'with_settings') throw new Error(line.kind);
    const { json, close } = await line.run(loadConfig('cli', fixture.env));
    await close?.();
    const { checks } = json as { checks: CheckResult[] };
    expect(checks.map(({ subject }) => subject)).toContain('xn--bcher-kva.example');
    expect(checks.map(({ message }) => message)).not.toContain('No account has this domain.');
  });

  it('keep their other senders in the proposal for an SPF record with too many lookups', async () => {
    const others = Array.from({ length: 11 }, (_, i) => `include:s${i}.example`).join(' ');
    const ours = `include:spf.${SERVICE}`;
    const fixOf = async (name: string, record: string) => {
      await domains.addVouched(newAccountId(), name);
      fixture.network.dns.set(name, { TXT: [record] });
      return (await problems('domains', name)).find(({ subject }) => subject === name);
    };
    const taking = `Take out what no longer sends for this domain (of ${others.replaceAll(' ', ', ')}), and keep the rest:`;
    expect(await fixOf('full.example', `v=spf1 ${others} ${ours} -all`)).toMatchObject({
      status: 'warning',
      fix: `${taking}\nfull.example. TXT "v=spf1 ${others} ${ours} -all"`,
    });
    expect(await fixOf('fuller.example', `v=spf1 ${others} -all`)).toMatchObject({
      status: 'error',
      fix: `${taking}\nfuller.example. TXT "v=spf1 ${others} ${ours} -all"`,
    });
  });

  it('are reported when the zone of the keys has old ones', async () => {
    await domains.addVouched(newAccountId(), 'shop.example');
    const zone = await new DkimZone(db.database, SERVICE).records();
    const found = async () => (await fixture.run('domains')).filter(({ subject }) => subject === `dkim.${SERVICE}`);
    expect(await found()).toMatchObject([{ status: 'skipped', fix: expect.stringContaining('dkim-zone') as string }]);
    fixture.network.dns.set(zone[0].name, { TXT: ['v=DKIM1; k=rsa; p=AAAA'] });
    expect(await found()).toMatchObject([{ status: 'error', fix: expect.stringContaining(zone[0].name) as string }]);
    for (const { name, value } of zone) fixture.network.dns.set(name, { TXT: [value] });
    expect(await found()).toMatchObject([{ status: 'ok' }]);
  });

  it('are reported when nothing expires because of the clock', async () => {
    await sql(`UPDATE clock_state SET seen_at = now() - interval '40 days', trusted_at = now() - interval '40 days'`);
    expect(await problems('engines')).toMatchObject([
      { status: 'warning', subject: 'retention', fix: expect.stringContaining('cli -- retention confirm') as string },
    ]);
    const invocation = parseCommandLine(['retention', 'confirm']);
    if (invocation.kind !== 'with_database') throw new Error('it needs the database');
    const run = () => invocation.run({ clock: new ClockRecord(db.database) } as never);
    expect(await run()).toMatchObject({ text: expect.stringContaining('Confirmed that it is') as string });
    expect(await problems('engines')).toEqual([]);
    expect(await run()).toMatchObject({ json: { paused: false } });
  });
});

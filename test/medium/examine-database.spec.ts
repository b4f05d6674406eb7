import { DkimZone, DomainEntity, SendingDomains } from '#libs/domains';
import { loadConfig, SecretBox } from '#libs/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../apps/standalone/src/doctor/finding.js';
import { parseCommandLine } from '../../apps/standalone/src/cli/parse-command-line.js';
import { openDoctorRoom } from '../support/doctor-room.js';
import { SERVICE } from '../support/doctor-stage.js';
import { newAccountId } from '../support/domain-desk.js';
import { createTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const room = openDoctorRoom();

describe('the database and the domains in it', () => {
  let db: OpenTestDatabase;
  let domains: SendingDomains;

  beforeEach(async () => {
    db = await createTestDatabase([DomainEntity]);
    Object.assign(room.env, { DATABASE_URL: db.url, MASTER_KEY });
    const repository = db.dataSource.getRepository(DomainEntity);
    domains = new SendingDomains(
      repository,
      db.database,
      new SecretBox(Buffer.alloc(32, 7)),
      loadConfig('cli', room.env),
    );
  });
  afterEach(() => db.close());

  const sql = (text: string, values: unknown[] = []) => db.database.query(text, values);
  const seen = (check: string, domain: string | null = null) => room.complaints(check, { domain });

  it('are well', async () => {
    const account = newAccountId();
    await domains.addVouched(account, SERVICE);
    for (const { record, name, value } of (await domains.list(account))[0].records)
      if (record === 'DKIM') room.stage.dns.set(name, { TXT: [value] });
    room.stage.dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE} ~all`] });
    expect(await seen('engines')).toEqual([]);
    expect(await seen('domains')).toEqual([]);
  });

  it('are named when the server trades safety for speed', async () => {
    const name = new URL(db.url).pathname.slice(1);
    await sql(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    expect(await seen('engines')).toMatchObject([
      {
        status: 'error',
        message: expect.stringContaining('synchronous_commit is off') as string,
        fix: expect.stringContaining('= on') as string,
      },
    ]);
  });

  it('are named when another version was here', async () => {
    await sql(
      "UPDATE schema_migrations SET name = 'Later2700000000001' WHERE name = (SELECT max(name) FROM schema_migrations)",
    );
    const found = await seen('engines');
    expect(found.map(({ status, subject }) => [status, subject])).toEqual([
      ['warning', 'schema'],
      ['error', 'schema'],
    ]);
    expect((await room.look('domains')).map(({ status }) => status)).toEqual(['skipped']);
  });

  it('are named when a program died', async () => {
    await sql(
      "INSERT INTO workers (id, program, home, heartbeat_at) VALUES ('wrk_1', 'delivery', '/', now() - interval '1 minute')",
    );
    expect(await seen('engines')).toMatchObject([
      { subject: 'programs', message: expect.stringMatching(/delivery \(6\d s\)/) as string },
    ]);
  });

  it('are named when mail and events pile up', async () => {
    await sql(
      `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, due_at, expires_at, ripe)
       SELECT 'em_' || i, 1, 'a@slow.example', 'slow.example', 'to', 'queued', now() - interval '10 minutes', now() + interval '1 day', true
         FROM generate_series(1, 3) AS i`,
    );
    await sql(
      `INSERT INTO outbox_portions (event_id, key, sequence, account_id, domain_id, type, test, created_at, data)
       VALUES ('{evt_1}', '{em_1}', '{1}', '{acc_1}', '{dom_1}', '{email.queued}', '{false}',
               ARRAY[now() - interval '5 minutes'], '{"{}"}')`,
    );
    const found = await seen('engines');
    expect(found.map(({ subject }) => subject)).toEqual(['queue', 'events']);
    expect(found[0].message).toMatch(/slow\.example has been due for 10 minutes.*3 recipients/);
  });

  it('are named when an active domain has lost a record', async () => {
    const { id } = await domains.addVouched(newAccountId(), 'lost.example');
    await sql('UPDATE domains SET vouched = false, warning_since = now() WHERE id = $1', [id]);
    const found = await seen('domains');
    expect(found.find(({ subject }) => subject === 'lost.example')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('has lost lost.example, ') as string,
      fix: expect.stringContaining('doctor --only domains --domain lost.example') as string,
    });
  });

  it('are named record by record when they are asked for', async () => {
    await domains.addVouched(newAccountId(), 'shop.example');
    const found = await seen('domains', 'shop.example');
    expect(found.filter(({ status }) => status === 'error').map(({ subject, fix }) => [subject, fix])).toEqual([
      ['shop.example', `shop.example. TXT "v=spf1 include:spf.${SERVICE} ~all"`],
      [expect.stringContaining('._domainkey.shop.example'), expect.stringContaining('TXT "v=DKIM1') as string],
      ['_dmarc.shop.example', `_dmarc.shop.example. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}"`],
    ]);
    expect(await seen('domains', 'nobodys.example')).toContainEqual(
      expect.objectContaining({ subject: 'nobodys.example', status: 'error' }),
    );
  });

  it('are found by the name as people write it', async () => {
    await domains.addVouched(newAccountId(), 'bücher.example');
    const line = parseCommandLine(['doctor', '--only', 'domains', '--domain', 'BÜCHER.example.', '--json']);
    if (line.kind !== 'run_alone') throw new Error(line.kind);
    const { json, close } = await line.run(loadConfig('cli', room.env));
    await close?.();
    const { checks } = json as { checks: Finding[] };
    expect(checks.map(({ subject }) => subject)).toContain('xn--bcher-kva.example');
    expect(checks.map(({ message }) => message)).not.toContain('No account has this domain.');
  });

  it('keep their other senders in what is proposed for an SPF record that costs too many look-ups', async () => {
    const others = Array.from({ length: 11 }, (_, i) => `include:s${i}.example`).join(' ');
    const ours = `include:spf.${SERVICE}`;
    const fixOf = async (name: string, record: string) => {
      await domains.addVouched(newAccountId(), name);
      room.stage.dns.set(name, { TXT: [record] });
      return (await seen('domains', name)).find(({ subject }) => subject === name);
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

  it('are named when the zone of the keys has old ones', async () => {
    await domains.addVouched(newAccountId(), 'shop.example');
    const zone = await new DkimZone(db.database, SERVICE).records();
    const found = async () => (await room.look('domains')).filter(({ subject }) => subject === `dkim.${SERVICE}`);
    expect(await found()).toMatchObject([{ status: 'skipped', fix: expect.stringContaining('dkim-zone') as string }]);
    room.stage.dns.set(zone[0].name, { TXT: ['v=DKIM1; k=rsa; p=AAAA'] });
    expect(await found()).toMatchObject([{ status: 'error', fix: expect.stringContaining(zone[0].name) as string }]);
    for (const { name, value } of zone) room.stage.dns.set(name, { TXT: [value] });
    expect(await found()).toMatchObject([{ status: 'ok' }]);
  });
});

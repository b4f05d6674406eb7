import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '#libs/persistence';
import { deleteContents, StoredContents } from '../../../libs/emails/src/message/content/stored-contents.js';
import { DomainRetention } from '../../../libs/emails/src/commands/domain-retention.js';
import { DeliveryFixture } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

const DAY_MS = 86_400_000;

describe('CONTENT_STORE=files', () => {
  let folder: string;
  let gateway: GatewayApp;
  let fixture: DeliveryFixture;
  let account: Awaited<ReturnType<GatewayApp['account']>>;
  beforeAll(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'postloft-contents-')), 'contents');
    gateway = await startGatewayApp({ CONTENT_STORE: 'files', CONTENT_DIR: folder });
    fixture = await DeliveryFixture.open(gateway);
  }, 60_000);
  beforeEach(async () => {
    account = await gateway.account();
  });
  afterAll(async () => {
    await gateway?.stop();
    rmSync(join(folder, '..'), { recursive: true });
  });

  const mail = (over: object = {}) => ({
    ...{ from: `a@${account.domain}`, to: 'u@recipient.example', subject: 's', text: 'secret', ...over },
  });
  const agent = () => gateway.agent(account.key);
  async function send(over: object = {}): Promise<string> {
    return ((await agent().post('/emails').send(mail(over)).expect(201)).body as { id: string }).id;
  }
  const textOf = async (id: string) =>
    ((await agent().get(`/emails/${id}`).expect(200)).body as { text: string | null }).text;
  const rowOf = async (id: string) =>
    (
      await gateway.app
        .get(Database)
        .query<{ body: Buffer | null; segment: string | null }>(
          'SELECT body, segment FROM email_contents WHERE email_id = $1',
          [id],
        )
    ).rows.at(0);
  const stored = () => gateway.app.get(StoredContents);
  const segments = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytesOnDisk = () =>
    segments()
      .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'))
      .join('');

  it('keeps bodies out of the database, and returns them as before', async () => {
    const attachment = { filename: 'a.txt', content: Buffer.from('attached bytes').toString('base64') };
    const id = await send({ html: '<p>hello</p>', attachments: [attachment], tags: { kind: 'a' } });
    expect(await rowOf(id)).toMatchObject({ body: null, segment: expect.stringMatching(/^files\/\d{4}-\d\d-\d\d\//) });
    const { body } = await agent().get(`/emails/${id}`).expect(200);
    expect(body).toMatchObject({ html: '<p>hello</p>', text: 'secret', attachments: [{ filename: 'a.txt' }] });
    const list = await agent().get(`/emails/${id}/attachments`).expect(200);
    const [{ download_url: url }] = (list.body as { data: { download_url: string }[] }).data;
    const file = await gateway
      .agent(null)
      .get(new URL(url).pathname + new URL(url).search)
      .expect(200);
    expect(String(file.body)).toBe('attached bytes');
    expect(bytesOnDisk()).toContain('attached bytes');
  });

  it('stores batches, and requests with a key once', async () => {
    const batch = await agent()
      .post('/emails/batch')
      .send([mail({ text: 'one' }), mail({ text: 'two' })])
      .expect(201);
    const ids = (batch.body as { id: string }[]).map(({ id }) => id);
    expect(await Promise.all(ids.map(textOf))).toEqual(['one', 'two']);
    const again = () =>
      agent()
        .post('/emails')
        .set('Idempotency-Key', 'k-1')
        .send(mail({ text: 'three' }))
        .expect(201);
    const [first, second] = [await again(), await again()];
    expect(second.body).toEqual(first.body);
    expect(await textOf((first.body as { id: string }).id)).toBe('three');
  });

  it('shares a segment among requests of one commit', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => send({ text: `concurrent ${i}` })));
    const rows = await Promise.all(ids.map(rowOf));
    expect(new Set(rows.map((row) => row?.segment)).size).toBeLessThan(10);
    expect(await Promise.all(ids.map(textOf))).toEqual(ids.map((_, i) => `concurrent ${i}`));
  });

  it('reads the content again for an attempt', async () => {
    const id = await send({ text: 'for the courier' });
    const jobs = await fixture.claim();
    const job = jobs.find(({ email }) => email.id === id);
    expect(job).toBeDefined();
    const content = await stored().ofJob(job as NonNullable<typeof job>);
    expect(content?.body.includes('for the courier')).toBe(true);
    await fixture.settle(jobs, () => 'delivered');
  });

  it('erases the bytes of deleted content, and no others', async () => {
    const [gone, kept] = await Promise.all([send({ text: 'to be erased 4711' }), send({ text: 'to be kept 4712' })]);
    await fixture.deliver(() => 'delivered');
    const other = account;
    account = await gateway.account();
    const beside = await send({ text: 'of another account 4713' });
    account = other;
    await agent().patch(`/domains/${account.domainId}`).send({ body_retention_days: 3 }).expect(200);
    await gateway.app.get(DomainRetention).prune(new Date(Date.now() + 3.1 * DAY_MS));
    expect(await textOf(gone)).toBeNull();
    expect(await textOf(kept)).toBeNull();
    expect(bytesOnDisk()).toContain('to be erased 4711');
    expect(await stored().eraseDeleted()).toBeGreaterThanOrEqual(2);
    expect(bytesOnDisk()).not.toMatch(/to be (erased|kept) 471/);
    expect(bytesOnDisk()).toContain('of another account 4713');
    expect(await stored().eraseDeleted()).toBe(0);
    expect((await rowOf(beside))?.segment).toBeTruthy();
  });

  it('erases what it can beside thousands of contents whose segments are away', async () => {
    const id = await send({ text: 'erased beside others 4714' });
    await fixture.deliver(() => 'delivered');
    const database = gateway.app.get(Database);
    await database.query(
      `INSERT INTO content_erasures SELECT 'files/2026-01-01/0123456789abcdef-1', n, 1, 0 FROM generate_series(1, 2500) AS n`,
    );
    await deleteContents(database, [id]);
    expect(await stored().eraseDeleted()).toBe(1);
    expect(bytesOnDisk()).not.toContain('erased beside others 4714');
    await database.query('DELETE FROM content_erasures');
  });

  it('answers 503 while a segment cannot be read, and finds it again', async () => {
    const id = await send({ text: 'away for a while' });
    renameSync(folder, `${folder}.away`);
    const { body } = await agent().get(`/emails/${id}`).expect(503);
    expect(body).toMatchObject({ name: 'application_error', message: expect.stringContaining('content') });
    await agent().get('/emails').expect(200);
    renameSync(`${folder}.away`, folder);
    expect(await textOf(id)).toBe('away for a while');
  });

  it('never shows bytes of another email', async () => {
    const id = await send({ text: 'my own bytes' });
    const row = await rowOf(id);
    const path = join(folder, (row?.segment ?? '').slice('files/'.length));
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.from(bytes.map((byte) => byte ^ 1)));
    await agent().get(`/emails/${id}`).expect(503);
    writeFileSync(path, bytes);
    expect(await textOf(id)).toBe('my own bytes');
  });

  it('deletes a day after its time, and keeps what is still to be delivered', async () => {
    const waiting = await send({ text: 'scheduled', scheduled_at: new Date(Date.now() + 2 * DAY_MS).toISOString() });
    const [today] = readdirSync(folder);
    expect(await stored().expire(new Date(Date.now() - DAY_MS))).toEqual([]);
    await gateway.app.get(Database).query('DELETE FROM email_contents WHERE email_id <> $1', [waiting]);
    expect(await stored().expire(new Date(Date.now() + 2 * DAY_MS))).toEqual([`files/${today}`]);
    expect(readdirSync(folder)).toEqual([]);
    expect(await rowOf(waiting)).toMatchObject({ segment: null });
    expect(await textOf(waiting)).toBe('scheduled');
  });
});

describe('a CONTENT_DIR that cannot be written to', () => {
  it('refuses emails, and accepts them as soon as it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-contents-'));
    const contents = join(folder, 'contents');
    writeFileSync(contents, 'a file');
    const gateway = await startGatewayApp({ CONTENT_STORE: 'files', CONTENT_DIR: contents });
    const { key, domain } = await gateway.account();
    const mail = { from: `a@${domain}`, to: 'u@recipient.example', subject: 's', text: 'x' };
    const { body } = await gateway.agent(key).post('/emails').send(mail).expect(503);
    expect(body).toMatchObject({ name: 'application_error' });
    expect((await gateway.agent(key).get('/emails').expect(200)).body).toMatchObject({ data: [] });
    expect(gateway.log).toEqual([expect.objectContaining({ msg: 'contents cannot be stored' })]);
    rmSync(contents);
    await gateway.agent(key).post('/emails').send(mail).expect(201);
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });
});

describe('another CONTENT_STORE than before', () => {
  it('reads what was stored before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-contents-'));
    const before = await startGatewayApp({ CONTENT_STORE: 'files', CONTENT_DIR: folder });
    const { key, domain } = await before.account();
    const mail = { from: `a@${domain}`, to: 'u@recipient.example', subject: 's', text: 'in a file' };
    const { id } = (await before.agent(key).post('/emails').send(mail).expect(201)).body as { id: string };
    const after = await startGatewayApp({ CONTENT_DIR: folder, DATABASE_URL: before.databaseUrl });
    const next = (
      await after
        .agent(key)
        .post('/emails')
        .send({ ...mail, text: 'in the database' })
        .expect(201)
    ).body;
    for (const [email, text] of [
      [id, 'in a file'],
      [(next as { id: string }).id, 'in the database'],
    ])
      expect((await after.agent(key).get(`/emails/${email}`).expect(200)).body).toMatchObject({ text });
    await after.stop();
    await before.stop();
    rmSync(folder, { recursive: true });
  });
});

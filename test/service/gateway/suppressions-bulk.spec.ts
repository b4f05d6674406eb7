import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entryAt, inMs, SuppressionsFixture, answerOf } from '../../support/fixtures/suppressions-fixture.js';

let fixture: SuppressionsFixture;

beforeAll(async () => {
  fixture = await SuppressionsFixture.open();
});
beforeEach(() => fixture.newAccounts());

describe('POST /suppressions/batch', () => {
  it('adds all in order, says which are new, and counts an address twice as one', async () => {
    const old = await fixture.add('b@example.net');
    const { status, body } = await answerOf(
      fixture.agent.post('/suppressions/batch/add').send({
        emails: ['c@example.net', 'B@example.net', 'a@example.net', 'A@example.net'],
      }),
    );
    expect(status).toBe(200);
    expect(body.data.map(({ email, created }) => [email, created])).toEqual([
      ['c@example.net', true],
      ['b@example.net', false],
      ['a@example.net', true],
      ['a@example.net', false],
    ]);
    expect(body.data[1]).toEqual({ ...old, created: false });
  });

  it('adds entries with all their fields', async () => {
    const entries = [
      { email: 'a@example.net', reason: 'x', domain_id: fixture.mine.domainId, expires_at: inMs(60_000) },
    ];
    const { body } = await answerOf(fixture.agent.post('/suppressions/batch/add').send({ entries }));
    expect(body.data).toMatchObject([{ ...entries[0], origin: 'manual', scope: 'domain', created: true }]);
  });

  it('adds nothing when anything is wrong, and says what', async () => {
    const problems = async (body: object) => {
      const answer = await answerOf(fixture.agent.post('/suppressions/batch/add').send(body));
      return [answer.status, ...answer.body.details.map(({ field, code }) => `${field} ${code}`)];
    };
    const ok = 'a@example.net';
    expect(await problems({})).toEqual([400, 'emails required']);
    expect(await problems({ emails: [] })).toEqual([400, 'emails too_few']);
    expect(await problems({ emails: Array.from({ length: 101 }, () => ok) })).toEqual([400, 'emails too_many']);
    expect(await problems({ emails: [ok, 'bad', 7] })).toEqual([
      400,
      'emails[1] invalid_address',
      'emails[2] invalid_type',
    ]);
    expect(await problems({ emails: [ok], entries: [{ email: ok }] })).toEqual([400, 'entries exclusive']);
    expect(await problems({ entries: [{ email: ok }, {}, { email: ok, reason: 7 }, null] })).toEqual([
      400,
      'entries[1].email required',
      'entries[2].reason invalid_type',
      'entries[3] invalid_type',
    ]);
    expect(await problems({ entries: [{ email: ok }, { email: ok, domain_id: fixture.theirs.domainId }] })).toEqual([
      400,
      'entries[1].domain_id unknown_domain',
    ]);
    expect(await fixture.listed('')).toEqual([]);
  });

  it('removes what it can, and says of each what became of it', async () => {
    const a = await fixture.add('a@example.net');
    await fixture.addAs('complaint', 'c@example.net');
    await answerOf(fixture.otherAgent.post('/suppressions').send({ email: 't@example.net' }));
    const emails = ['t@example.net', 'A@example.net', 'c@example.net', 'a@example.net'];
    const { status, body } = await answerOf(fixture.agent.post('/suppressions/batch/remove').send({ emails }));
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { object: 'error', index: 0, error: 'not_found', message: expect.any(String) as string },
      { object: 'suppression', id: a.id, email: 'a@example.net', deleted: true },
      { object: 'error', index: 2, error: 'conflict', message: expect.stringContaining('force') as string },
      { object: 'error', index: 3, error: 'not_found', message: expect.any(String) as string },
    ]);
    const [{ id }] = (await answerOf(fixture.agent.get('/suppressions'))).body.data;
    const forced = await answerOf(fixture.agent.post('/suppressions/batch/remove').send({ ids: [id], force: true }));
    expect(forced.body.data).toMatchObject([{ id, deleted: true }]);
    expect((await fixture.audited()).map(({ target }) => target)).toEqual([a.id, id]);
    expect(await fixture.listed('')).toEqual([]);
  });

  it('removes from the list of a domain when one is named, and refuses what is no list', async () => {
    const ofDomain = await fixture.add('a@example.net', { domain_id: fixture.mine.domainId });
    await fixture.add('a@example.net');
    const body = { emails: ['a@example.net'], domain_id: fixture.mine.domainId };
    expect((await answerOf(fixture.agent.post('/suppressions/batch/remove').send(body))).body.data).toMatchObject([
      { id: ofDomain.id },
    ]);
    expect((await answerOf(fixture.agent.get(entryAt('a@example.net')))).body['scope']).toBe('account');
    const bad = [
      {},
      { emails: ['x'] },
      { ids: ['em_1'] },
      { ids: [ofDomain.id], force: 'yes' },
      { ...body, ids: ['x'] },
    ];
    for (const one of bad)
      expect((await answerOf(fixture.agent.post('/suppressions/batch/remove').send(one))).status).toBe(400);
  });
});

describe('CSV files', () => {
  const upload = (body: string | Uint8Array, type = 'text/csv') =>
    answerOf(fixture.agent.post('/suppressions/import').type(type).send(Buffer.from(body)));
  const download = () => fixture.agent.get('/suppressions/export');

  it('are imported as a whole', async () => {
    await fixture.add('old@example.net');
    const file = `Email,Origin,Note,Reason,Domain_ID\r\nOld@example.net,,,,\r\n"a@example.net",bounce,x,"a ""b"", c",${fixture.mine.domainId}\r\nA@example.net,,,twice,${fixture.mine.domainId}\r\n`;
    expect(await upload(file)).toEqual({
      status: 200,
      body: { object: 'suppression_import', total: 3, created: 1, existing: 2 },
    });
    const path = `${entryAt('a@example.net')}?domain_id=${fixture.mine.domainId}`;
    expect((await answerOf(fixture.agent.get(path))).body).toMatchObject({ origin: 'bounce', reason: 'a "b", c' });
  });

  it('are imported but for the lines with problems, which the answer lists', async () => {
    const file = `email;domain_id;expires_at\na@example.net\nbad;;\n;;2020-01-01T00:00:00Z\nb@example.net;${fixture.theirs.domainId}\nc@example.net;${fixture.mine.domainId}\n`;
    const { status, body } = await upload(file);
    expect([status, body]).toEqual([
      200,
      {
        object: 'suppression_import',
        ...{ total: 5, created: 2, existing: 0, refused: 3 },
        errors: [
          { line: 3, field: 'email', code: 'invalid_address', message: expect.any(String) as string },
          { line: 4, field: 'email', code: 'required', message: 'is required' },
          { line: 4, field: 'expires_at', code: 'in_the_past', message: expect.any(String) as string },
          { line: 5, field: 'domain_id', code: 'unknown_domain', message: 'must be a domain of this account' },
        ],
      },
    ]);
    expect(new Set(await fixture.listed(''))).toEqual(new Set(['a@example.net', 'c@example.net']));
  });

  it('are refused as a whole if no line is valid, each problem with its line', async () => {
    const { status, body } = await upload(`email,domain_id\nbad,\nb@example.net,${fixture.theirs.domainId}\n`);
    expect([status, ...body.details.map(({ field, code }) => `${field} ${code}`)]).toEqual([
      400,
      'lines[2].email invalid_address',
      'lines[3].domain_id unknown_domain',
    ]);
    expect((await upload('email\na@example.net\n"b@example.net"x\n')).status).toBe(400);
    expect(await fixture.listed('')).toEqual([]);
  });

  it('are read in UTF-16 with tabs, as a spreadsheet exports them', async () => {
    const file = Buffer.from('\ufeffEmail\tReason\r\na@example.net\tna\u00efve\r\n', 'utf16le');
    expect(await upload(file)).toMatchObject({ status: 200, body: { total: 1, created: 1 } });
    expect((await answerOf(fixture.agent.get(entryAt('a@example.net')))).body).toMatchObject({ reason: 'na\u00efve' });
  });

  it('are taken as text/csv of 5 MiB at most, and JSON is taken everywhere else only', async () => {
    const csv = 'email\na@example.net\n';
    expect((await upload(csv, 'application/json')).body['message']).toBe('The content type must be text/csv.');
    expect((await upload(csv, 'text/csv; charset=utf-16')).status).toBe(400);
    expect((await upload('')).status).toBe(400);
    expect((await upload(new Uint8Array([0xff, 0xfe]))).status).toBe(400);
    const large = await upload(csv + ' '.repeat(5 * 1024 * 1024));
    expect([large.status, large.body['message']]).toEqual([422, 'The file is larger than 5 MiB.']);
    const other = await fixture.agent.post('/suppressions').type('text/csv').send(csv);
    expect(other.status).toBe(400);
    expect(await fixture.listed('')).toEqual([]);
  });

  it('come out as they went in, formulas as text', async () => {
    await fixture.add('=cmd@example.net', { reason: '=HYPERLINK("http://x")' });
    await fixture.add('user@example.net', {
      reason: 'a, "b"',
      expires_at: '2199-01-01T00:00:00.000Z',
      domain_id: fixture.mine.domainId,
    });
    await answerOf(fixture.otherAgent.post('/suppressions').send({ email: 'theirs@example.net' }));
    const answer = await download();
    const text = answer.text;
    expect(answer.headers['content-type']).toMatch(/^text\/csv; charset=utf-8/);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="suppressions.csv"');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('email,reason,origin,expires_at,domain_id,id,source_id,created_at');
    expect(lines[1]).toMatch(/^'=cmd@example\.net,"'=HYPERLINK\(""http:\/\/x""\)",manual,,,sup_/);
    expect(lines[2]).toMatch(/^user@example\.net,"a, ""b""",manual,2199-01-01T00:00:00\.000Z,dom_/);
    expect([lines.length, lines[3]]).toEqual([4, '']);

    const listed = async () => (await answerOf(fixture.agent.get('/suppressions'))).body.data;
    const before = await listed();
    await answerOf(fixture.agent.post('/suppressions/batch/remove').send({ ids: before.map(({ id }) => id) }));
    expect(await listed()).toEqual([]);
    expect(await upload(text)).toMatchObject({ status: 200, body: { created: 2 } });
    const contents = (entries: Record<string, unknown>[]) =>
      new Map(entries.map(({ email, reason }) => [email, reason]));
    expect(contents(await listed())).toEqual(contents(before));
  });

  it('of many pages hold every entry once', async () => {
    const file = ['email', ...Array.from({ length: 2_500 }, (_, i) => `u${i}@example.net`)].join('\n');
    expect(await upload(file)).toMatchObject({ status: 200, body: { created: 2_500 } });
    const lines = (await download()).text.trim().split('\r\n');
    expect([lines.length, new Set(lines).size]).toEqual([2_501, 2_501]);
  });
});

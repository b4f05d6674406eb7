import { newId } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import type { SuppressionView } from '../suppression-view.js';
import { readSuppressionCsv } from './read-suppression-csv.js';
import { writeSuppressionCsv } from './write-suppression-csv.js';

const read = (text: string) => readSuppressionCsv(Buffer.from(text));
const problemsOf = async (text: string) =>
  (await read(text)).problems.map(({ path, code }) => `${path} ${code}`.trim());
const addressesOf = async (text: string) => {
  const { entries, problems } = await read(text);
  expect(problems).toEqual([]);
  return entries.map(({ address }) => address);
};

describe('readSuppressionCsv', () => {
  it('reads the columns that it knows, in any order, and passes over the others', async () => {
    const domainId = newId('dom');
    const file = `\ufeffNote, Reason ,EMAIL,expires_at,origin,domain_id\nx,"said ""no"", twice", User@Example.NET ,2199-01-01T00:00:00Z,complaint,${domainId}\n`;
    expect(await read(file)).toEqual({
      problems: [],
      entries: [
        {
          line: 2,
          address: 'user@example.net',
          origin: 'complaint',
          reason: 'said "no", twice',
          sourceId: null,
          expiresAt: new Date('2199-01-01T00:00:00Z'),
          domainId,
        },
      ],
    });
  });

  it('takes an empty or a missing cell for one that is not there', async () => {
    const { entries } = await read('email,reason,origin,expires_at,domain_id\na@example.net,,,,\nb@example.net\n');
    const bare = { origin: 'manual', reason: null, sourceId: null, expiresAt: null, domainId: null };
    expect(entries).toEqual([
      { line: 2, address: 'a@example.net', ...bare },
      { line: 3, address: 'b@example.net', ...bare },
    ]);
  });

  it.each([
    ['email\r\na@example.net\r\n\r\nb@example.net'],
    ['email\na@example.net\nb@example.net\n\n\n'],
    ['email\ra@example.net\rb@example.net\r'],
    ['email,x\n"a@example.net","1\n2"\nb@example.net,3,4,5\n'],
    ['__proto__,email,constructor\nx,a@example.net,y\nx,b@example.net,y\n'],
  ])('reads every kind of line: %j', async (file) => {
    expect(await addressesOf(file)).toEqual(['a@example.net', 'b@example.net']);
  });

  it('names all problems by line, those behind a cell of two lines too, and gives no entries', async () => {
    const file = 'email,reason\na@example.net,"1\n2"\nbad,ok\n,ok\nb@example.net,ok\n';
    expect(await problemsOf(file)).toEqual([
      'lines[3].reason invalid_characters',
      'lines[4].email invalid_address',
      'lines[5].email required',
    ]);
    expect((await read(file)).entries).toEqual([]);
  });

  it.each([
    ['', ' too_few'],
    ['email\n', ' too_few'],
    ['mail\na@example.net\n', ' missing_column'],
    ['a@example.net\nb@example.net\n', ' missing_column'],
    ['email;reason\na@example.net;x\n', ' missing_column'],
    ['email,Email\na@example.net,b@example.net\n', ' duplicate_column'],
    ['email\na@example.net\n"b@example.net\n', 'lines[3] invalid_csv'],
    ['email\n"a@example.net"x\n', 'lines[2] invalid_csv'],
    [`email,reason\na@example.net,${'x'.repeat(9_000)}\n`, 'lines[2] too_long'],
    ['email\na@example.net\0\n', ' invalid_encoding'],
    ['email,origin\na@example.net,spam\n', 'lines[2].origin invalid_value'],
  ])('refuses %j', async (file, problem) => {
    expect(await problemsOf(file)).toEqual([problem.trim()]);
  });

  it('names what is wrong before the line with a broken quote, and nothing behind it', async () => {
    expect(await problemsOf('email\nbad\n"a@example.net"x\nworse\n')).toEqual([
      'lines[2].email invalid_address',
      'lines[3] invalid_csv',
    ]);
  });

  it('refuses what is no UTF-8', async () => {
    const { problems } = await readSuppressionCsv(Buffer.from('email\nü@example.net\n', 'latin1'));
    expect(problems).toMatchObject([{ path: '', code: 'invalid_encoding' }]);
  });

  it('tells a thousand problems at most, and refuses a file with more entries than are stored at once', async () => {
    expect((await problemsOf(`email\n${'bad\n'.repeat(1_100)}`)).length).toBe(1_000);
    expect(await problemsOf(`email\n${'a@example.net\n'.repeat(100_001)}`)).toEqual(['too_many']);
  });

  it('lets others go first now and then', async () => {
    let turns = 0;
    let reading = true;
    const count = () => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    await read(`email\n${'a@example.net\n'.repeat(20_000)}`);
    reading = false;
    expect(turns).toBeGreaterThan(10);
  });
});

describe('writeSuppressionCsv', () => {
  const view = (over: Partial<SuppressionView>): SuppressionView => ({
    id: 'sup_1',
    object: 'suppression',
    email: 'a@example.net',
    origin: 'manual',
    reason: null,
    source_id: null,
    scope: 'account',
    domain_id: null,
    created_at: '2026-01-31T09:30:00.000Z',
    expires_at: null,
    evidence: null,
    ...over,
  });
  async function* pagesOf(...pages: SuppressionView[][]) {
    yield* pages;
  }
  const written = async (...pages: SuppressionView[][]) => {
    let file = '';
    for await (const part of writeSuppressionCsv(pagesOf(...pages))) file += part;
    return file;
  };

  it('writes one line per entry below the names of the columns', async () => {
    expect(await written([view({})], [view({ email: 'b@example.net', reason: 'a, "b"' })])).toBe(
      'email,reason,origin,expires_at,domain_id,id,source_id,created_at\r\n' +
        'a@example.net,,manual,,,sup_1,,2026-01-31T09:30:00.000Z\r\n' +
        'b@example.net,"a, ""b""",manual,,,sup_1,,2026-01-31T09:30:00.000Z\r\n',
    );
    expect(await written()).toBe('email,reason,origin,expires_at,domain_id,id,source_id,created_at\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '=cmd|calc!A0', '＝1'])(
    'makes text of the formula %j, and reads it back',
    async (reason) => {
      const file = await written([view({ email: '=a@example.net', reason })]);
      expect(file.split('\r\n')[1]).toMatch(/^'=a@example\.net,"?'/);
      expect((await read(file)).entries).toMatchObject([{ address: '=a@example.net', reason }]);
    },
  );
});

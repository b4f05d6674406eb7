import { newId } from '#libs/contracts';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SuppressionView } from '../suppression.resource.js';
import { readSuppressionCsv, writeSuppressionCsv } from './suppression-csv.js';

const read = (text: string) => readSuppressionCsv(Buffer.from(text));
const problemsOf = async (text: string) =>
  (await read(text)).problems.map(({ path, code }) => `${path} ${code}`.trim());
const addressesOf = async (text: string) => {
  const { entries, problems } = await read(text);
  expect(problems).toEqual([]);
  return entries.map(({ address }) => address);
};

describe('readSuppressionCsv', () => {
  it('reads known columns in any order, and ignores others', async () => {
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

  it('treats empty and missing cells as absent', async () => {
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

  it('reports all problems by line, also after a cell of two lines, and returns the other lines', async () => {
    const file = 'email,reason\na@example.net,"1\n2"\nbad,ok\n,ok\nb@example.net,ok\n';
    expect(await problemsOf(file)).toEqual([
      'lines[2].reason invalid_characters',
      'lines[4].email invalid_address',
      'lines[5].email required',
    ]);
    expect(await read(file)).toMatchObject({ entries: [{ line: 6, address: 'b@example.net' }], refused: 3 });
    // A CRLF inside quotes is one line end.
    expect(await problemsOf(file.replaceAll('\n', '\r\n'))).toEqual(await problemsOf(file));
  });

  it.each([
    ['semicolons', 'email;reason;origin\na@example.net;"1; 2, 3";bounce\nb@example.net;x;\n'],
    ['tabs', 'email\treason\torigin\r\na@example.net\t1; 2, 3\tbounce\r\nb@example.net\tx\r\n'],
    [
      'commas, with semicolons in cells',
      'email,reason,"a;b;c;d",origin\na@example.net,"1; 2, 3",,bounce\nb@example.net,x\n',
    ],
    [
      'a line that names them',
      '\nsep=;\r\nEmail;Reason;Origin\r\na@example.net;1; \r\nb@example.net;x;\r\n'.replace('1; ', '"1; 2, 3";bounce'),
    ],
    [
      'quoted names in other case',
      '\ufeff"E-MAIL";"Comment";"ORIGIN";""\n"a@example.net";"1; 2, 3";"bounce"\nb@example.net;"x"\n',
    ],
    [
      'a name with a comma',
      'email;"Reason, if any";reason;origin\na@example.net;;"1; 2, 3";bounce\nb@example.net;;x\n',
    ],
  ])('reads cells separated by %s', async (_, file) => {
    for (const line of [file, file.replaceAll(/\r?\n/g, '\r')]) {
      const { entries, problems } = await read(line);
      expect(problems).toEqual([]);
      expect(entries.map(({ address, reason, origin }) => [address, reason, origin])).toEqual([
        ['a@example.net', '1; 2, 3', 'bounce'],
        ['b@example.net', 'x', 'manual'],
      ]);
    }
  });

  it.each(['utf-16le', 'utf-16be'])('reads %s with a byte order mark', async (encoding) => {
    const bytes = Buffer.from(
      '\ufeffemail\treason\r\njos\u00e9@example.net\tna\u00efve \u{1f4e7}\r\nbad\t\r\n',
      'utf16le',
    );
    const { entries, problems } = await readSuppressionCsv(encoding === 'utf-16le' ? bytes : bytes.swap16());
    expect(entries).toMatchObject([{ line: 2, address: 'jos\u00e9@example.net', reason: 'na\u00efve \u{1f4e7}' }]);
    expect(problems).toMatchObject([{ path: 'lines[3].email' }]);
  });

  it('says which separators and encodings it reads', async () => {
    const [separator] = (await read('email|reason\na@example.net|x\n')).problems;
    expect(separator).toMatchObject({
      code: 'missing_column',
      message: expect.stringContaining('commas, semicolons or tabs') as string,
    });
    const unmarked = Buffer.from('email\na@example.net\n', 'utf16le');
    for (const bytes of [unmarked, Buffer.from([0xff, 0xfe, 0x00, 0xd8]), Buffer.from([0xff, 0xfe, 0x61])])
      expect((await readSuppressionCsv(bytes)).problems).toMatchObject([
        { code: 'invalid_encoding', message: expect.stringContaining('UTF-16 with a byte order mark') as string },
      ]);
  });

  it('returns no entries of a file in which the beginning of lines is unknown', async () => {
    expect((await read('email\na@example.net\n"b@example.net"x\nc@example.net\n')).entries).toEqual([]);
  });

  it.each([
    ['', ' too_few'],
    ['email\n', ' too_few'],
    ['mail\na@example.net\n', ' missing_column'],
    ['a@example.net\nb@example.net\n', ' missing_column'],
    ['email|reason\na@example.net|x\n', ' missing_column'],
    ['email,Email\na@example.net,b@example.net\n', ' duplicate_column'],
    ['email\na@example.net\n"b@example.net\n', 'lines[3] invalid_csv'],
    ['email\n"a@example.net"x\n', 'lines[2] invalid_csv'],
    [`email,reason\na@example.net,${'x'.repeat(9_000)}\n`, 'lines[2] too_long'],
    ['email\na@example.net\0\n', ' invalid_encoding'],
    ['email,origin\na@example.net,spam\n', 'lines[2].origin invalid_value'],
  ])('refuses %j', async (file, problem) => {
    expect(await problemsOf(file)).toEqual([problem.trim()]);
  });

  it('reports problems up to the line with an unbalanced quote, and none after it', async () => {
    expect(await problemsOf('email\nbad\n"a@example.net"x\nworse\n')).toEqual([
      'lines[2].email invalid_address',
      'lines[3] invalid_csv',
    ]);
  });

  it('rejects other encodings than UTF-8', async () => {
    const { problems } = await readSuppressionCsv(Buffer.from('email\nü@example.net\n', 'latin1'));
    expect(problems).toMatchObject([{ path: '', code: 'invalid_encoding' }]);
  });

  it('reports at most a thousand problems, and rejects a file with too many entries', async () => {
    expect((await problemsOf(`email\n${'bad\n'.repeat(1_100)}`)).length).toBe(1_000);
    expect(await problemsOf(`email\n${'a@example.net\n'.repeat(100_001)}`)).toEqual(['too_many']);
  });

  it('yields to the event loop', async () => {
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

  it('writes one line per entry after the names of the columns', async () => {
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

  /** The cells that a spreadsheet reads from a line with this delimiter, with quotation marks honoured and ignored. */
  function cellsOf(line: string, delimiter: string): string[] {
    const options = { delimiter, relax_quotes: true, skip_records_with_error: true };
    const cells = line.split(delimiter);
    try {
      return [...cells, ...parse(line, options).flat()];
    } catch {
      // With this delimiter the quotation marks are not in pairs.
      return cells;
    }
  }
  const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\uff1d1', '=cmd|calc!A0'];
  const DELIMITERS = [',', ';', '\t', '|', ' ', ':'];
  const starts = FORMULAS.flatMap((formula) => [
    formula,
    `'${formula}`,
    `''${formula}`,
    `"${formula}"`,
    ...DELIMITERS.filter((mark) => mark !== '\t').flatMap((mark) => [
      `text${mark}${formula}`,
      `text${mark} ${formula}`,
      `text${mark}'${formula}`,
      `text${mark}"${formula}"${mark}`,
    ]),
  ]);

  it.each(DELIMITERS)('shows no formula to a reader whose delimiter is %j', async (delimiter) => {
    const file = await written(starts.map((reason) => view({ reason })));
    const cells = file.split('\r\n').flatMap((line) => cellsOf(line, delimiter));
    expect(cells.length).toBeGreaterThan(2 * starts.length);
    const formulas = cells.filter((cell) => /^[\s"]*[=+\-@\uff1d]/.test(cell));
    expect(formulas).toEqual([]);
  });

  it('is read back as it was, whatever it looks like', async () => {
    const file = await written(starts.map((reason) => view({ reason })));
    const { entries, problems } = await read(file);
    expect(problems).toEqual([]);
    expect(entries.map(({ reason }) => reason)).toEqual(starts.map((start) => start.trim()));
    const text = fc.string({ unit: fc.constantFrom(...`'=+-@;,|:" a`), minLength: 1, maxLength: 12 });
    const texts = fc.sample(text, 500).filter((one) => one.trim() === one);
    const again = await read(await written(texts.map((reason) => view({ reason }))));
    expect(again.entries.map(({ reason }) => reason)).toEqual(texts);
  });
});

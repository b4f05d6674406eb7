import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/http.ts';
import { batchFile, readImportFile, refusedFile, textOf, type ImportLine } from './import-file.ts';
import { sendImport, type ImportProgress } from './send-import.ts';

describe('readImportFile', () => {
  it.each([
    ['email,reason\na@example.net,"said ""no"", twice"\n', { email: 'a@example.net', reason: 'said "no", twice' }],
    ['\ufeffE-Mail;Note\r\na@example.net;x\r\n', { email: 'a@example.net', reason: 'x' }],
    ['ADDRESS\tx\ra@example.net\ty\r', { email: 'a@example.net' }],
    ['"email","domain_id"\n"a@example.net","dom_1"', { email: 'a@example.net', domain_id: 'dom_1' }],
    ['reason,email\n,a@example.net,more', { email: 'a@example.net' }],
    ['a@example.net\n', { email: 'a@example.net' }],
    ['Ann;a@example.net\n', { email: 'a@example.net' }],
    ['  a@example.net  ', { email: 'a@example.net' }],
  ])('reads %j', async (text, cells) => {
    const { lines, refused } = await readImportFile(text);
    expect(lines.map((one) => one.cells)).toEqual([cells]);
    expect(refused).toEqual([]);
  });

  it.each([
    ['sep=;\r\nEmail;Reason\r\na@example.net;x, y\r\n', { email: 'a@example.net', reason: 'x, y' }, 3],
    ['email;"Reason, if any, of all";reason\na@example.net;;x\n', { email: 'a@example.net', reason: 'x' }, 2],
    ['email,"a;b;c;d",reason\na@example.net,,x\n', { email: 'a@example.net', reason: 'x' }, 2],
  ])('finds the delimiter of %j', async (text, cells, line) => {
    expect((await readImportFile(text)).lines).toEqual([{ line, cells }]);
  });

  it('reads files in UTF-16 with a byte order mark', async () => {
    const bytes = Buffer.from('\ufeffemail\treason\njos\u00e9@example.net\tx\n', 'utf16le');
    for (const file of [new Blob([bytes]), new Blob([Buffer.from(bytes).swap16()])])
      expect((await readImportFile(await textOf(file))).lines).toMatchObject([
        { cells: { email: 'jos\u00e9@example.net' } },
      ]);
    expect(await textOf(new Blob(['\ufeffé']))).toBe('é');
  });

  it('tells which columns it recognises', async () => {
    const { columns } = await readImportFile('Address,Note,created_at,email\na@example.net,,,b@example.net\n');
    expect(columns).toEqual([
      { title: 'Address', column: null },
      { title: 'Note', column: 'reason' },
      { title: 'created_at', column: null },
      { title: 'email', column: 'email' },
    ]);
  });

  it('reads the columns that were chosen', async () => {
    const text = 'Kunde,Grund,Mail\na@example.net,moved,b@example.net\n';
    expect(await readImportFile(text)).toMatchObject({
      lines: [],
      columns: [{ title: 'Kunde', column: null }, {}, {}],
    });
    const { columns, lines } = await readImportFile(text, { columns: [null, 'reason', 'email'] });
    expect(columns[1]).toEqual({ title: 'Grund', column: 'reason' });
    expect(lines).toEqual([{ line: 2, cells: { reason: 'moved', email: 'b@example.net' } }]);
  });

  it('finds no lines without a column of addresses', async () => {
    expect(await readImportFile('name,reason\nAnn,x\n')).toMatchObject({ lines: [], refused: [] });
    expect(await readImportFile('')).toEqual({ columns: [], lines: [], refused: [], duplicates: 0 });
  });

  it('counts lines of the file, also after a cell of two lines and blank ones', async () => {
    const { lines, refused } = await readImportFile('email,reason\na@example.net,"1\n2"\n\nbad,x\n,y\nb@example.net\n');
    expect(lines.map(({ line }) => line)).toEqual([2, 7]);
    expect(refused).toEqual([
      { line: 5, email: 'bad', problem: 'must be an address such as user@example.com' },
      { line: 6, email: '', problem: 'has no address' },
    ]);
  });

  it.each([
    'a b@example.net',
    '<a@example.net>',
    'a@b@example.net',
    '@example.net',
    'a@',
    `${'x'.repeat(320)}@example.net`,
  ])('refuses %j', async (email) => {
    const { lines, refused } = await readImportFile(`email\n${email}\n`);
    expect([lines.length, refused.length]).toEqual([0, 1]);
  });

  it('leaves out addresses that it has seen for the same domain', async () => {
    const { lines, duplicates } = await readImportFile(
      'email,domain_id\na@example.net,\nA@Example.NET,\na@example.net,dom_1\na@example.net,dom_1\n',
    );
    expect([lines.length, duplicates]).toEqual([2, 2]);
  });

  it('refuses a line with a quote that is never closed, or not doubled', async () => {
    const { lines, refused } = await readImportFile('email\n"a"@example.net\nb@example.net\n"c@example.net\n');
    expect(lines.map(({ line }) => line)).toEqual([3]);
    expect(refused.map(({ line, problem }) => [line, problem])).toEqual([
      [2, 'has a quotation mark that is not doubled or not closed'],
      [4, 'has a quotation mark that is not doubled or not closed'],
    ]);
  });

  it('pauses while it reads many lines', async () => {
    let pauses = 0;
    const file = await readImportFile(
      `email\n${Array.from({ length: 50_000 }, (_, i) => `u${i}@example.net\n`).join('')}`,
      {
        pause: () => {
          pauses += 1;
          return Promise.resolve();
        },
      },
    );
    expect([file.lines.length, pauses]).toEqual([50_000, 25]);
  });
});

describe('sendImport', () => {
  const linesOf = (count: number): ImportLine[] =>
    Array.from({ length: count }, (_, i) => ({ line: i + 5, cells: { email: `u${i}@example.net` } }));
  /** A service that refuses some addresses, and counts all others as new. */
  function service(refused: readonly string[] = []) {
    const files: string[][] = [];
    const send = async (file: Blob) => {
      const rows = (await file.text()).split('\r\n').slice(1, -1);
      files.push(rows);
      const details = rows.flatMap((row, i) =>
        refused.includes(row.split(',')[0]) ? [{ field: `lines[${i + 2}].email`, message: 'must not be this' }] : [],
      );
      if (details.length > 0) throw new ApiError('lines are invalid', 400, 'validation_error', null, details);
      return { created: rows.length, existing: 0 };
    };
    return { files, send };
  }
  const options = (send: ReturnType<typeof service>['send'], over: object = {}) => ({
    send,
    onProgress: () => {},
    isCanceled: () => false,
    ...over,
  });

  it('sends batches and reports each', async () => {
    const { files, send } = service();
    const seen: ImportProgress[] = [];
    const result = await sendImport(
      linesOf(2_500),
      options(send, { onProgress: (one: ImportProgress) => seen.push(one) }),
    );
    expect(files.map((rows) => rows.length)).toEqual([1_000, 1_000, 500]);
    expect(seen.map(({ done, created }) => [done, created])).toEqual([
      [1_000, 1_000],
      [2_000, 2_000],
      [2_500, 2_500],
    ]);
    expect(result).toEqual({ done: 2_500, created: 2_500, existing: 0, refused: [] });
  });

  it('sends a batch again without the lines that are refused', async () => {
    const { files, send } = service(['u1@example.net', 'u3@example.net']);
    const result = await sendImport(linesOf(5), options(send));
    expect(files.at(-1)).toEqual(['u0@example.net,,,,', 'u2@example.net,,,,', 'u4@example.net,,,,']);
    expect(result).toMatchObject({
      created: 3,
      refused: [
        { line: 6, email: 'u1@example.net', problem: 'email must not be this' },
        { line: 8, email: 'u3@example.net', problem: 'email must not be this' },
      ],
    });
  });

  it('takes the lines over that the service has refused beside the others', async () => {
    const errors = [
      { line: 3, field: 'email', message: 'must not be this' },
      { line: 3, field: 'reason', message: 'is too long' },
    ];
    const result = await sendImport(
      linesOf(3),
      options(async () => ({ created: 2, existing: 0, errors }) as never),
    );
    expect(result).toMatchObject({
      created: 2,
      refused: [{ line: 6, email: 'u1@example.net', problem: 'email must not be this; reason is too long' }],
    });
  });

  it('stops after the batch in which it is canceled', async () => {
    const { files, send } = service();
    const result = await sendImport(linesOf(3_000), options(send, { isCanceled: () => files.length === 2 }));
    expect([files.length, result.done]).toEqual([2, 2_000]);
  });

  it.each([
    new ApiError('The server cannot be reached.', 0, 'network_error', null),
    new ApiError('restricted', 403, 'restricted', null, [{ field: 'email', message: 'no' }]),
    // The service names a line that was not sent.
    new ApiError('invalid', 400, 'validation_error', null, [{ field: 'lines[99].email', message: 'no' }]),
  ])('fails with a refusal of the whole batch: %s', async (error) => {
    await expect(
      sendImport(
        linesOf(2),
        options(async () => {
          throw error;
        }),
      ),
    ).rejects.toBe(error);
  });
});

describe('files', () => {
  it('writes one line per entry, whatever its cells contain', async () => {
    const file = batchFile([{ line: 9, cells: { email: 'a@example.net', reason: 'one\r\n"two", three' } }]);
    expect(await file.text()).toBe(
      'email,reason,origin,expires_at,domain_id\r\na@example.net,"one ""two"", three",,,\r\n',
    );
  });

  it('writes the refused lines without formulas', () => {
    expect(refusedFile([{ line: 3, email: '=cmd|x', problem: 'is wrong' }])).toBe(
      "email,line,problem\r\n'=cmd|x,3,is wrong\r\n",
    );
  });
});

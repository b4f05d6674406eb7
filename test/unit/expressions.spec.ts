import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const CHECK = fileURLToPath(new URL('../../tools/check-expressions.mjs', import.meta.url));
/** Answers each folder that it is sent with its problems: the compiler and the analysis are loaded once for all folders. */
const CHECKER = `
  import { expressionProblems } from '${new URL('../../tools/expressions/problems.mjs', import.meta.url).href}';
  process.on('message', async (folder) => process.send(await expressionProblems(folder)));
`;

/** One planted expression each, and what the check says about it. */
const PLANTS: [what: string, code: string, problem: string][] = [
  // A run of spaces without a slash was searched from each of its positions.
  ['a search from each position', String.raw`text.replace(/\s*\/\s*/, '/')`, 'begins another search'],
  ['two repetitions of the same text', String.raw`/^[ \t]*(.*?)[ \t]*$/.exec(text)`, 'two repetitions'],
  ['a repetition inside another one', String.raw`/^(?:a+)+$/.test(text)`, 'exponentially'],
  ['a run of several characters', String.raw`/file:[^ ]+\/dist\/[^ ]+b:/.test(text)`, 'a run of "file:"'],
  ['a string as an expression', String.raw`text.match('a*')`, 'without new RegExp'],
  ['another name of the constructor', 'const Pattern = RegExp; new Pattern(text)', 'without new RegExp'],
  ['an expression without a builder', 'new RegExp(text)', 'has no builder'],
];

describe('the check of regular expressions', () => {
  let root: string;
  let checker: ChildProcess;
  beforeAll(() => {
    const script = ['--input-type=module', '--eval', CHECKER];
    checker = spawn(process.execPath, script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  });
  afterAll(() => checker.disconnect());
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'postloft-expressions-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('reports each kind of super-linear expression, and nothing else', async () => {
    for (const [i, [, code]] of PLANTS.entries())
      plant(`libs/a/src/planted-${i}.ts`, `export const use = (text: string) => { ${code} };\n`);
    plant(
      'libs/a/src/linear.ts',
      String.raw`export const all = [/^a*b$/, /[ \t]+/g, 'x /a*a*$/ y', null instanceof RegExp];`,
    );
    plant('libs/a/src/linear.spec.ts', 'export const slow = /a*a*$/;');
    plant('apps/a/src/comment.ts', '// like /a*a*$/\nexport type Pattern = RegExp;');
    const reported = await problems();
    for (const [i, [what, , problem]] of PLANTS.entries())
      expect(
        reported.filter((line) => line.includes(`planted-${i}.ts`)),
        what,
      ).toEqual([expect.stringContaining(problem)]);
    expect(reported).toHaveLength(PLANTS.length);
  });

  it('accepts a reviewed expression with its bound, and no entry without an expression', async () => {
    plant('libs/a/src/planted.ts', 'export const slow = /a*a*$/;');
    const entry = { file: 'libs/a/src/planted.ts', expression: '/a*a*$/' };
    review([{ ...entry, bound: 'at most 10 characters' }]);
    expect(await problems()).toEqual([]);
    review([entry]);
    expect(await problems()).toEqual([expect.stringContaining('is not linear'), expect.stringContaining('not needed')]);
    review([
      { ...entry, bound: 'at most 10 characters' },
      { ...entry, expression: '/b/', bound: 'none' },
    ]);
    expect(await problems()).toEqual([expect.stringContaining('not needed')]);
  });

  it('ends with code 1 and the problem where there is one, and else with code 0', async () => {
    plant('libs/a/src/planted.ts', 'export const slow = /a*a*$/;');
    expect(await check()).toEqual({
      code: 1,
      output: expect.stringContaining('libs/a/src/planted.ts:1 is not linear'),
    });
    plant('libs/a/src/planted.ts', 'export const fast = /^a*$/;');
    expect(await check()).toEqual({ code: 0, output: '' });
  });

  describe('of an expression that is built at run time', () => {
    const SOURCE = 'export const build = (text) => new RegExp(text);\n';
    const builder = (call: string) => `export const BUILDERS = { 'libs/a/src/built.ts': ${call} };\n`;
    beforeEach(() => {
      plant('libs/a/src/built.ts', SOURCE);
      plant('dist/libs/a/src/built.js', SOURCE);
      plant('package.json', '{"type":"module"}');
    });

    it.each([
      ['reports a super-linear one', "({ build }) => build('a*a*$')", ['is not linear']],
      ['accepts a linear one', "({ build }) => build('^a*b')", []],
      [
        'reports one that the builder does not execute',
        '() => undefined',
        ['does not execute the new RegExp in line 1'],
      ],
    ])('%s', async (_what, call, found) => {
      plant('tools/expressions/builders.mjs', builder(call));
      expect(await problems()).toEqual(found.map((text) => expect.stringContaining(text) as string));
    });

    it('reports a builder of a file that builds none', async () => {
      plant('tools/expressions/builders.mjs', builder("({ build }) => build('a')").replace('built.ts', 'other.ts'));
      expect(await problems()).toContainEqual(expect.stringContaining('builds no expression'));
    });
  });

  function plant(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }

  const review = (entries: object[]) => plant('tools/expressions/reviewed.json', JSON.stringify(entries));

  async function problems(): Promise<string[]> {
    checker.send(root);
    const [found] = (await once(checker, 'message')) as [string[]];
    return found;
  }

  function check(): Promise<{ code: number; output: string }> {
    return new Promise((resolve) =>
      execFile(process.execPath, [CHECK, root], (error, _stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: stderr }),
      ),
    );
  }
});

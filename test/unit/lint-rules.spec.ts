import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NAMES = 'abcdefghijklmnop';
const parameters = (count: number): string => [...NAMES.slice(0, count)].map((name) => `${name}: string`).join(', ');
const classWith = (constructorParameters: string): string =>
  `export class One { constructor(${constructorParameters}) { void arguments; } }\n`;

/** One planted file each, and the one rule that must report it; null: none. */
const PLANTS: [rule: string | null, file: string, text: string][] = [
  ['max-parameters', 'function.ts', `export function one(${parameters(4)}) { void arguments; }\n`],
  [null, 'small-function.ts', `export function one(${parameters(3)}) { void arguments; }\n`],
  ['max-constructor-parameters', 'constructor.ts', classWith(parameters(9))],
  ['max-constructor-parameters', 'rest.ts', classWith(`x: string, ...[${[...'abcdefgh'].join(', ')}]: string[]`)],
  [null, 'small-constructor.ts', classWith(parameters(8))],
  [null, 'list.ts', classWith(`${parameters(7)}, ...rest: string[]`)],
];

describe('the lint rules of the project', () => {
  let folder: string;
  let findings: { code: string; filename: string }[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postloft-lint-'));
    mkdirSync(join(folder, 'tools/lint'), { recursive: true });
    for (const file of ['.oxlintrc.json', 'tools/lint/parameters.mjs'])
      copyFileSync(join(ROOT, file), join(folder, file));
    for (const [, file, text] of PLANTS) writeFileSync(join(folder, file), text);
    findings = await lint(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(PLANTS)('report %s in %s', (rule, file) => {
    const found = findings.filter(({ code, filename }) => filename === file && code.startsWith('house('));
    expect(found.map(({ code }) => code)).toEqual(rule === null ? [] : [`house(${rule})`]);
  });
});

async function lint(folder: string): Promise<{ code: string; filename: string }[]> {
  const command = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, [command, '--format', 'json', '.'], { cwd: folder }, (_failed, stdout) =>
      resolve(stdout),
    ),
  );
  return (JSON.parse(output) as { diagnostics: { code: string; filename: string }[] }).diagnostics;
}

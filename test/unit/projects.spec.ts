import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the projects of vitest.config.ts include. */
const INCLUDED =
  /^((apps|libs|test\/(unit|service|system|engines|browser|chaos|perf|ecosystem))\/.*\.spec|test\/perf\/.*\.perf-spec)\.ts$/;

it('every test file belongs to a project, so that none is left out unnoticed', () => {
  const files = ['apps', 'libs', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const tests = files.filter((name) => /[.-](spec|test)\.[mc]?[jt]sx?$/.test(name) && !name.includes('node_modules'));
  expect(tests.length).toBeGreaterThan(300);
  expect(tests.filter((name) => !INCLUDED.test(name))).toEqual([]);
});

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

it('support is filed by subject, at most 15 files a folder', () => {
  const entries = readdirSync(join(ROOT, 'test/support'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const folders = files.map(({ parentPath }) => parentPath.slice(ROOT.length));
  expect([...new Set(folders)].filter((one) => folders.filter((other) => other === one).length > 15)).toEqual([]);
  expect(files.filter((_file, i) => folders[i] === 'test/support').map(({ name }) => name)).toEqual([]);
  // A suite is a test and stands beside the specs that run it.
  expect(files.filter(({ name }) => /[.-]suite\.ts$/.test(name)).map(({ name }) => name)).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The commits in which versions were cut. */
const COMMITS = { '0.1.0': '45a3ae15f8b21ba56c2bc36b227eb287fda52aa5' } as const;

/**
 * The folder of the built programs of an earlier version, without its dashboard. It is made once, from the history of the
 * repository, and uses the packages of this version.
 */
export function earlierRelease(version: keyof typeof COMMITS): string {
  const folder = join(ROOT, '.tools', 'releases', version);
  if (existsSync(join(folder, 'dist', 'programs', 'gateway.js'))) return folder;
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  execFileSync('tar', ['-x', '-C', draft], {
    input: execFileSync('git', ['archive', COMMITS[version]], { cwd: ROOT, maxBuffer: 2 ** 28 }),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(draft, 'node_modules'));
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: draft, stdio: 'inherit' });
  node('node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.build.json');
  for (const file of dataFiles(draft)) {
    mkdirSync(join(draft, 'dist', dirname(file)), { recursive: true });
    copyFileSync(join(draft, file), join(draft, 'dist', file));
  }
  node('tools/bundle.mjs');
  renameSync(draft, folder);
  return folder;
}

/** As in `tools/setup.mjs`: the compiler does not copy them. */
const dataFiles = (root: string): string[] =>
  ['libs', join('apps', 'gateway', 'src')].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name)),
  );

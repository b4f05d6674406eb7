// The Python packages of the clients in the tests of the engines: gql, and those of examples/python. They go into .tools/python.
//
//   node tools/python.mjs      installs them unless they are there
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, '.tools', 'python');
const REQUIREMENTS = ['tools/python-requirements.txt', 'examples/python/requirements.txt'].map((file) =>
  join(ROOT, file),
);
const run = promisify(execFile);

/**
 * The interpreter with these packages.
 * @returns {Promise<string>}
 */
export async function pythonWithPackages() {
  const python = join(FOLDER, 'bin', 'python');
  const installed = join(FOLDER, 'installed.txt');
  const wanted = REQUIREMENTS.map((file) => readFileSync(file, 'utf8')).join('');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return python;
  rmSync(FOLDER, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', FOLDER]);
  const files = REQUIREMENTS.flatMap((file) => ['-r', file]);
  await run(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...files]);
  writeFileSync(installed, wanted);
  return python;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await pythonWithPackages();

// Set-up before every start: installs dependencies and builds when they are missing or stale, and does nothing when all
// is fresh. Plain Node.js without packages, because on a new clone there are none.
//   node tools/setup.mjs [--dev]     --dev: with what the tests need, also under NODE_ENV=production
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
const withDev = process.argv.includes('--dev') || process.env.NODE_ENV !== 'production';

const MINIMUM = [20, 19];
const PROGRESS_MS = 2_000;
const LOCK = at('.setup-lock');
const INSTALLED = at('node_modules/.postloft-installed.json');
const BUILT = at('dist/.built.json');

await main().catch((error) => {
  console.error(`\nThe set-up failed: ${error.message}`);
  process.exit(1);
});

async function main() {
  requireNode();
  if (installIsFresh() && buildIsFresh()) return;
  const unlock = await lock();
  try {
    if (!installIsFresh()) await install();
    if (!buildIsFresh()) await build();
  } finally {
    unlock();
  }
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1]))
    throw new Error(`Node.js ${MINIMUM.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

// -- dependencies

const lockHash = () => hashOf(readFileSync(at('package-lock.json')), readFileSync(at('package.json')));

function installIsFresh() {
  const installed = readJson(INSTALLED);
  return installed !== null && installed.lock === lockHash() && (installed.dev || !withDev);
}

async function install() {
  // `npm install`, not `npm ci`: the latter insists on optional packages of other platforms being in the lockfile.
  const args = ['install', '--no-audit', '--no-fund', ...(withDev ? ['--include=dev'] : ['--omit=dev'])];
  await step('Installing dependencies (once; about a minute)', process.env.npm_execpath ? process.execPath : 'npm', [
    ...(process.env.npm_execpath ? [process.env.npm_execpath] : []),
    ...args,
  ]);
  writeFileSync(INSTALLED, JSON.stringify({ lock: lockHash(), dev: withDev }));
}

// -- build

/** Names, sizes and times of all sources: reading them all would cost more than it tells. */
function sourcesHash() {
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((name) => stamp(at(name)));
  return hashOf(...settings, ...['apps', 'libs'].flatMap((folder) => filesUnder(at(folder)).map(stamp)));
}

function stamp(file) {
  const { size, mtimeMs } = statSync(file);
  return `${relative(root, file)} ${size} ${mtimeMs}`;
}

function buildIsFresh() {
  return readJson(BUILT)?.sources === sourcesHash();
}

async function build() {
  const sources = sourcesHash();
  rmSync(BUILT, { force: true });
  await step('Building', process.execPath, [
    at('node_modules/typescript-native/bin/tsc'),
    '-p',
    at('tsconfig.build.json'),
  ]);
  pruneDist();
  writeFileSync(BUILT, JSON.stringify({ sources }));
}

/** Output of sources that are gone would still be found by imports. */
function pruneDist() {
  for (const file of filesUnder(at('dist'))) {
    const source = relative(at('dist'), file).replace(/\.js(\.map)?$/, '.ts');
    if (source.endsWith('.ts') && !existsSync(at(source))) rmSync(file);
  }
}

// -- the rest

/** One set-up at a time in a checkout; whoever comes second waits and then finds everything fresh. */
async function lock() {
  for (let waited = 0; ; waited += 250) {
    try {
      mkdirSync(LOCK);
      writeFileSync(join(LOCK, 'pid'), String(process.pid));
      const unlock = () => rmSync(LOCK, { recursive: true, force: true });
      for (const signal of ['SIGINT', 'SIGTERM'])
        process.once(signal, () => {
          unlock();
          process.exit(1);
        });
      return unlock;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!holderLives()) rmSync(LOCK, { recursive: true, force: true });
      else if (waited === 0) console.log('Another set-up is running in this folder; waiting for it …');
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}

function holderLives() {
  try {
    process.kill(Number(readFileSync(join(LOCK, 'pid'), 'utf8')), 0);
    return true;
  } catch (error) {
    // The folder exists a moment before its pid file does.
    return (
      error.code === 'EPERM' ||
      (error.code === 'ENOENT' && Date.now() - statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs < 5_000)
    );
  }
}

/** Runs a command; says that it still runs after two seconds, and shows its output only when it fails. */
function step(title, command, args) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  let output = '';
  let announced = false;
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const timer = setInterval(() => {
      process.stdout.write(
        announced && process.stdout.isTTY
          ? `\r${title} … ${seconds()} s`
          : announced
            ? ''
            : `${title} …${process.stdout.isTTY ? '' : '\n'}`,
      );
      announced = true;
    }, PROGRESS_MS);
    child.once('error', (error) => {
      clearInterval(timer);
      failed(error);
    });
    child.once('close', (code) => {
      clearInterval(timer);
      if (code === 0) {
        if (announced) console.log(`${process.stdout.isTTY ? '\r' : ''}${title}: done in ${seconds()} s.`);
        return done();
      }
      failed(new Error(`${title} ended with code ${code}.\n${output.slice(-4_000)}`));
    });
  });
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

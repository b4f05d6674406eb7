// Installs the dependencies and builds the programs, each only when missing or out of date. Every command begins with
// it. It uses Node.js only, because a new clone has nothing else. Messages go to standard error; standard output
// belongs to the program that is started afterwards.
//
// Development dependencies are always installed, also with NODE_ENV=production: the build and the tests need them.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, openSync, closeSync, readdirSync, readFileSync } from 'node:fs';
import { rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLE_FOLDERS, programFiles } from './bundle.mjs';
import { DASHBOARD_DIST } from './dashboard.mjs';
import { runStep } from './run-step.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const DIST = join(ROOT, 'dist');
const INSTALL_STAMP = join(MODULES, '.postloft-setup.json');
const BUILD_STAMP = join(DIST, '.built-from');
const DASHBOARD = join(ROOT, 'apps', 'dashboard');
const DASHBOARD_STAMP = join(DASHBOARD_DIST, '.built-from');
const SOURCE_FOLDERS = ['apps', 'libs'];
const BUILD_SETTINGS = [
  ...['tsconfig.json', 'tsconfig.build.json'],
  ...['tools/bundle.mjs', 'tools/launcher.cjs', 'tools/object-spread.mjs'],
];

/** Makes the checkout ready to run. Takes well under 200 ms if there is nothing to do. */
export async function setUp() {
  requireNode(20, 19);
  if (isInstalled() && isBuilt() && isDashboardBuilt()) return;
  const release = await acquireLock();
  try {
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
    if (!isDashboardBuilt()) await buildDashboard();
  } finally {
    release();
  }
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  throw new Error(`Postloft needs Node.js ${major}.${minor} or newer; this is ${process.versions.node}.`);
}

/** Makes concurrent set-ups wait. flock(1) locks a file opened by this process, so the lock ends with the process. */
async function acquireLock() {
  mkdirSync(join(ROOT, '.tools'), { recursive: true });
  const file = openSync(join(ROOT, '.tools', 'setup.lock'), 'a');
  await runStep({
    name: 'Waiting for another set-up of this checkout to finish',
    command: ['flock', '3'],
    stdio: ['ignore', 'ignore', 'ignore', file],
    quiet: true,
  }).catch((error) => {
    if (error.code !== 'ENOENT') throw error; // without flock(1), set-up continues without a lock
  });
  return () => closeSync(file);
}

function isInstalled() {
  const npmStamp = join(MODULES, '.package-lock.json'); // npm writes it as the last step
  if (!existsSync(npmStamp)) return false;
  if (!existsSync(join(MODULES, 'vitest', 'package.json'))) return false; // without development dependencies
  const stamp = existsSync(INSTALL_STAMP) ? readFileSync(INSTALL_STAMP, 'utf8') : '';
  if (stamp === wantedDependencies()) return true;
  // npm was run by hand after the lockfile had changed.
  return stamp === '' && statSync(npmStamp).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs;
}

function wantedDependencies() {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readText('package.json'));
  const lock = existsSync(join(ROOT, 'package-lock.json')) ? readText('package-lock.json') : '';
  return digest([JSON.stringify({ dependencies, devDependencies, optionalDependencies }), lock]);
}

/**
 * `npm install` instead of `npm ci`, because the lockfile names packages for other systems that a registry may not
 * have.
 */
async function install() {
  rmSync(INSTALL_STAMP, { force: true });
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  await runStep({
    name: 'Installing dependencies (about 900 MB, takes about a minute the first time)',
    command: [...npm, 'install', ...options],
    cwd: ROOT,
  });
  writeFileSync(INSTALL_STAMP, wantedDependencies());
}

function isBuilt() {
  if (!existsSync(BUILD_STAMP) || readFileSync(BUILD_STAMP, 'utf8') !== buildInputs()) return false;
  return outputs().every((path) => existsSync(path));
}

/** The dashboard has a stamp of its own, because it is built in a different way and changes without the programs. */
function isDashboardBuilt() {
  return existsSync(DASHBOARD_STAMP) && readFileSync(DASHBOARD_STAMP, 'utf8') === dashboardInputs();
}

function dashboardInputs() {
  const packages = join(MODULES, '.package-lock.json');
  const tools = ['dashboard.mjs', 'guide.mjs'].map((name) => join(ROOT, 'tools', name));
  const docs = filesBelow(join(ROOT, 'docs'), (name) => name.endsWith('.md'));
  return describeAll([packages, ...tools, ...docs, ...filesBelow(DASHBOARD, () => true)]);
}

async function buildDashboard() {
  const inputs = dashboardInputs();
  await runStep({
    name: 'Building the dashboard',
    command: [process.execPath, 'tools/dashboard.mjs'],
    cwd: ROOT,
    quiet: true,
  });
  writeFileSync(DASHBOARD_STAMP, inputs);
}

/** A digest of the paths, sizes and times of files. A deleted file changes it too. */
function describeAll(paths) {
  const describe = (path) => {
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  };
  const lines = paths.filter((path) => existsSync(path)).map(describe);
  return digest(lines.toSorted((a, b) => (a < b ? -1 : 1)));
}

/** All inputs of the build of the programs. */
function buildInputs() {
  const settings = BUILD_SETTINGS.map((name) => join(ROOT, name));
  // Covers the compiler, the bundler and the bundled packages.
  const packages = join(MODULES, '.package-lock.json');
  return describeAll([...settings, packages, ...sources(), ...dataFiles()]);
}

function sources() {
  return SOURCE_FOLDERS.flatMap((folder) =>
    filesBelow(join(ROOT, folder), (name) => /(?<!\.d)\.ts$/.test(name)),
  ).filter((path) => !/\.(spec|suite)\.ts$/.test(path) && !path.startsWith(DASHBOARD + sep));
}

/** Data files read by the code; the compiler does not copy them. */
function dataFiles() {
  return ['libs', join('apps', 'gateway', 'src')].flatMap((folder) =>
    filesBelow(join(ROOT, folder), (name) => name.endsWith('.json')),
  );
}

function copies() {
  return dataFiles().map((path) => ({ path, copy: join(DIST, relative(ROOT, path)) }));
}

function outputs() {
  const compiled = sources().map((path) => join(DIST, relative(ROOT, path)).replace(/\.ts$/, '.js'));
  return [...compiled, ...copies().map(({ copy }) => copy), ...programFiles()];
}

async function build() {
  const expected = new Set(outputs());
  const compiled = filesBelow(DIST, (name) => /\.(js(\.map)?|json)$/.test(name)).filter(
    (path) => !BUNDLE_FOLDERS.includes(dirname(path)) && !path.startsWith(DASHBOARD_DIST + sep),
  );
  for (const path of compiled) if (!expected.has(path.replace(/\.map$/, ''))) removeWithEmptyFolders(path);
  // The compiler does not notice that a file which it wrote has been deleted.
  if ([...expected].some((path) => !existsSync(path)))
    rmSync(join(DIST, 'tsconfig.build.tsbuildinfo'), { force: true });
  rmSync(BUILD_STAMP, { force: true });
  const inputs = buildInputs(); // read before compiling, so that a file saved meanwhile causes another build
  for (const { path, copy } of copies()) {
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(path, copy);
  }
  await runStep({
    name: 'Building',
    command: [process.execPath, join(MODULES, 'typescript-native', 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
    cwd: ROOT,
  });
  await runStep({ name: 'Bundling', command: [process.execPath, 'tools/bundle.mjs'], cwd: ROOT, quiet: true });
  writeFileSync(BUILD_STAMP, inputs);
}

function removeWithEmptyFolders(path) {
  rmSync(path, { force: true });
  for (let folder = dirname(path); folder !== DIST && readdirSync(folder).length === 0; folder = dirname(folder))
    rmdirSync(folder);
}

function filesBelow(folder, wanted) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path, wanted);
    return wanted(entry.name) ? [path] : [];
  });
}

function readText(name) {
  return readFileSync(join(ROOT, name), 'utf8');
}

function digest(parts) {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setUp().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}

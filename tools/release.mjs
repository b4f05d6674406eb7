// Makes a release from a checkout: the built programs and the dashboard, without sources and packages, and the files that
// ops/install.sh and docker/Dockerfile install them with.
//
//   node tools/release.mjs [--out FOLDER]       writes to FOLDER (default: release) a tarball, install.sh, a bill of
//                                               materials (CycloneDX) and SHA256SUMS of the three
//   node tools/release.mjs --folder FOLDER      writes only the contents of the tarball, to FOLDER, which must be empty
//
// The packages that the programs load at run time are installed from the lockfile of the release by `npm install --omit=dev`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { PACKAGES } from './bundle.mjs';
import { setUp } from './setup.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Found by name while a program runs, so that no bundle contains them. */
const LOADED_BY_NAME = [...PACKAGES, 'pino-pretty', 'swagger-ui-dist'];
const FILES = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'schema.gql', 'openapi.json', 'asyncapi.yaml'];
const FOLDERS = ['dist/programs', 'dist/bundles', 'dist/dashboard', 'docs', 'ops'];

/**
 * The contents of a release.
 * @param {string} folder created unless it exists; must be empty
 */
export function writeRelease(folder) {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty.`);
  for (const name of [...FILES, ...FOLDERS]) if (existsSync(join(ROOT, name))) copy(name, folder);
  copy('docker/healthcheck.mjs', folder);
  for (const path of dataFiles(join(ROOT, 'dist'))) copy(relative(ROOT, path), folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(releasePackage(), null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), readFileSync(join(ROOT, 'package-lock.json')));
  // Keeps the version of every package that the lockfile of the checkout names, and drops the packages of the build.
  npm(folder, 'install', '--package-lock-only', '--omit=dev', '--ignore-scripts');
}

function copy(/** @type {string} */ name, /** @type {string} */ folder) {
  cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: (path) => !basename(path).startsWith('.') });
}

/** Data of the libraries, which the programs read from the folder of the module it belongs to. */
function dataFiles(/** @type {string} */ dist) {
  return ['apps', 'libs'].flatMap((name) =>
    readdirSync(join(dist, name), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json'))
      .map((path) => join(dist, name, path)),
  );
}

/** package.json of the release: it has nothing to build and nothing to test. */
function releasePackage() {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { name, version, description, license, type, engines, dependencies, optionalDependencies, overrides } = own;
  return {
    ...{ name, version, private: true, description, license, type, engines },
    scripts: { start: 'exec dist/programs/standalone.js', cli: 'exec node --enable-source-maps dist/programs/cli.js' },
    dependencies: Object.fromEntries(LOADED_BY_NAME.map((one) => [one, dependencies[one]])),
    optionalDependencies,
    overrides,
    allowScripts: own.allowScripts,
  };
}

/** Writes the files of a release; returns their paths. */
function pack(/** @type {string} */ out) {
  const { name, version } = releasePackage();
  const work = mkdtempSync(join(ROOT, 'dist', 'release-'));
  const title = `${name}-${version}`;
  try {
    writeRelease(join(work, title));
    mkdirSync(out, { recursive: true });
    const tarball = join(out, `${title}.tar.gz`);
    // The same tree makes the same octets: order, owner and time of the entries are fixed.
    const time = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }).trim();
    const fixed = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go=rX,u+w'];
    execFileSync('tar', [...fixed, '-I', 'gzip -n -9', '-C', work, '-cf', tarball, title]);
    const installer = join(out, 'install.sh');
    cpSync(join(ROOT, 'ops', 'install.sh'), installer);
    const materials = join(out, `${title}.cdx.json`);
    writeFileSync(materials, billOfMaterials(join(work, 'materials')));
    const files = [tarball, installer, materials];
    const sums = files.map((path) => `${sha256(path)}  ${basename(path)}\n`);
    writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
    return [...files, join(out, 'SHA256SUMS')];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Of all packages that the bundles contain, not only of those that are installed beside them. */
function billOfMaterials(/** @type {string} */ folder) {
  const {
    devDependencies: _omitted,
    scripts: _unused,
    ...own
  } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
  copy('package-lock.json', folder);
  // `npm sbom --omit=dev` leaves out packages that a development dependency needs too.
  npm(folder, 'install', '--package-lock-only', '--ignore-scripts');
  return npm(folder, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only');
}

function npm(/** @type {string} */ cwd, /** @type {string[]} */ ...words) {
  return execFileSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
    ...{ cwd, encoding: 'utf8', maxBuffer: 1e8 },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function sha256(/** @type {string} */ path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

async function main() {
  const { values } = parseArgs({ options: { out: { type: 'string' }, folder: { type: 'string' } } });
  await setUp();
  if (values.folder !== undefined) return writeRelease(resolve(values.folder));
  for (const path of pack(resolve(values.out ?? join(ROOT, 'release')))) console.log(path);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();

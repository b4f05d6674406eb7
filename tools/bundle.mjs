// Bundles each program with its packages into dist/bundles/<program>.js and shared chunks, and writes its entry file,
// dist/programs/<program>.js. This saves up to half of the processor time of a start, most of which Node.js would spend
// on finding and reading four thousand modules (docs/decisions/012-bundled-programs.md).
//
//   node tools/bundle.mjs        reads the output of the compiler
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectSpread } from './object-spread.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const PROGRAMS = join(DIST, 'programs');
const BUNDLES = join(DIST, 'bundles');
const NAMES = ['standalone', 'gateway', 'smtp', 'delivery', 'analytics', 'webhooks', 'relay', 'cli'];
/**
 * Packages that are not bundled. chDB and argon2 are native libraries, pino starts a thread from a file of its own, and those of
 * OpenTelemetry are loaded only where traces are recorded. The others
 * are also loaded by name at run time, which would create a second copy without the metadata of decorators.
 */
export const PACKAGES = [
  '@node-rs/argon2',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/sdk-node',
  'chdb',
  'class-transformer',
  'class-validator',
  'pg',
  'pino',
  'reflect-metadata',
  'typeorm',
];

/** The folders that only this tool writes to. */
export const BUNDLE_FOLDERS = [PROGRAMS, BUNDLES];

/** The files without which the programs do not start. */
export const programFiles = () => NAMES.flatMap((name) => BUNDLE_FOLDERS.map((folder) => join(folder, `${name}.js`)));

/** Loads compiled modules with their source maps and their original URL, which they need to find data files. */
const ownModules = {
  name: 'own-modules',
  load(/** @type {string} */ id) {
    if (!id.startsWith(DIST + sep) || !id.endsWith('.js')) return null;
    const url = JSON.stringify(relative(BUNDLES, id).replaceAll(sep, '/'));
    return {
      code: readFileSync(id, 'utf8').replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`),
      map: existsSync(`${id}.map`) ? readFileSync(`${id}.map`, 'utf8') : null,
    };
  },
};

async function bundle() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: Object.fromEntries(NAMES.map((name) => [name, join(DIST, `apps/${name}/src/main.js`)])),
    external: (id) =>
      id.startsWith('node:') ||
      builtinModules.includes(id) ||
      PACKAGES.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [ownModules, objectSpread],
    // Frameworks import optional packages that are not installed.
    onLog: (level, log, handle) => void (log.code === 'UNRESOLVED_IMPORT' || handle(level, log)),
  });
  try {
    await build.write({
      dir: BUNDLES,
      cleanDir: true,
      format: 'esm',
      // Stack traces and injected classes have the names of the source.
      keepNames: true,
      sourcemap: true,
      sourcemapExcludeSources: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'shared-[name]-[hash].js',
    });
  } finally {
    await build.close();
  }
}

/** dist/programs has CommonJS files; the package as a whole has ES modules. */
function writeLaunchers() {
  rmSync(PROGRAMS, { recursive: true, force: true });
  mkdirSync(PROGRAMS, { recursive: true });
  writeFileSync(join(PROGRAMS, 'package.json'), '{ "type": "commonjs" }\n');
  for (const name of NAMES) {
    const file = join(PROGRAMS, `${name}.js`);
    copyFileSync(join(ROOT, 'tools', 'launcher.cjs'), file);
    chmodSync(file, 0o755);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle();
  writeLaunchers();
}

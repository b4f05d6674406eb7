// Puts each program, with what it uses of other packages, into a few files: dist/programs/<program>.js. A start takes up to
// half less processor time that way, since Node.js spends most of it on finding and reading four thousand modules
// (docs/decisions/012).
//
//   node tools/bundle.mjs        after the compiler, whose output it reads
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
export const PROGRAMS = join(DIST, 'programs');
const ENTRIES = {
  ...Object.fromEntries(
    ['standalone', 'gateway', 'smtp', 'delivery', 'analytics', 'webhooks'].map((name) => [
      name,
      `apps/${name}/src/main`,
    ]),
  ),
  cli: 'apps/standalone/src/cli',
};
/**
 * Stay packages. chDB is a native library, pino starts a thread from a file of its own. Of the others some module loads one
 * by its name at run time, which would be a second copy: what decorators have told the first, it would not know.
 */
const PACKAGES = ['chdb', 'class-transformer', 'class-validator', 'pg', 'pino', 'reflect-metadata', 'typeorm'];

/** The files that a program is started by. */
export const programFiles = () => Object.keys(ENTRIES).map((name) => join(PROGRAMS, `${name}.js`));

/** Own modules as the compiler left them: with their maps to the TypeScript, and with their own place for data beside them. */
const ownModules = {
  name: 'own-modules',
  load(/** @type {string} */ id) {
    if (!id.startsWith(DIST + sep) || !id.endsWith('.js')) return null;
    const place = JSON.stringify(relative(PROGRAMS, id).replaceAll(sep, '/'));
    return {
      code: readFileSync(id, 'utf8').replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
      map: existsSync(`${id}.map`) ? readFileSync(`${id}.map`, 'utf8') : null,
    };
  },
};

async function bundle() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(DIST, `${file}.js`)])),
    external: (id) =>
      id.startsWith('node:') ||
      builtinModules.includes(id) ||
      PACKAGES.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [ownModules],
    // Packages that frameworks know to use and that are not installed.
    onLog: (level, log, tell) => void (log.code === 'UNRESOLVED_IMPORT' || tell(level, log)),
  });
  try {
    await build.write({
      dir: PROGRAMS,
      cleanDir: true,
      format: 'esm',
      // Names in stacks and of injected classes are those of the source.
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();

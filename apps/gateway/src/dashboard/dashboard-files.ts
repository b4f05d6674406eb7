import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { staticAsset, type StaticAsset } from '../http/static-asset.js';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** Set-up builds the dashboard into dist/dashboard: beside the compiled programs, or below the root for the sources. */
const FOLDERS = ['../../../../dashboard/', '../../../../dist/dashboard/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** A built web application: its page, and the files that the page loads. */
interface BuiltFiles {
  page: StaticAsset;
  /** By `assets/…`. Their names contain a hash of the content. */
  assets: ReadonlyMap<string, StaticAsset>;
}

/** The dashboard, read and compressed on first use. @throws if it has not been built */
export const dashboardFiles = onFirstUse(() => load(dashboardFolder()));

/** GraphiQL, a bundle of its own. @throws if it has not been built */
export const graphiqlFiles = onFirstUse(() => load(join(dashboardFolder(), 'graphiql')));

/** The folder of what set-up has built. @throws if it has not been built */
export function dashboardFolder(): string {
  const folder = FOLDERS.find((path) => existsSync(join(path, 'index.html')));
  if (folder === undefined) throw new Error('The dashboard has not been built: run `npm run setup`.');
  return folder;
}

function onFirstUse(loadFiles: () => Promise<BuiltFiles>): () => Promise<BuiltFiles> {
  let files: Promise<BuiltFiles> | undefined;
  return () => {
    files ??= loadFiles();
    files.catch(() => (files = undefined));
    return files;
  };
}

async function load(folder: string): Promise<BuiltFiles> {
  const names = await readdir(join(folder, 'assets'));
  const assets = await Promise.all(
    names
      .filter((name) => extname(name) in TYPES)
      .map(async (name) => [`assets/${name}`, await read(folder, `assets/${name}`)] as const),
  );
  return { page: await read(folder, 'index.html'), assets: new Map(assets) };
}

async function read(folder: string, path: string): Promise<StaticAsset> {
  const file = join(folder, path);
  const type = TYPES[extname(path)];
  const plain = await readFile(file);
  if (!existsSync(`${file}.br`)) return staticAsset(type, plain);
  const [brotli, gzip] = await Promise.all([readFile(`${file}.br`), readFile(`${file}.gz`)]);
  return { type, plain, gzip, brotli };
}

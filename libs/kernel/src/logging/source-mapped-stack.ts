import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whole words, because an expression that also looks for `/dist/` and `.js` in them takes cubic time for some texts. */
const FILE_URL = /file:\/\/\/[^\s()]+/g;
const EXTENSION = '.js';
const POSITION = /\.js:(\d{1,9}):(\d{1,9})/;

const maps = new Map<string, SourceMap | null>();

/**
 * Replaces positions in compiled files by those in the TypeScript source.
 *
 * A map is read for the first error of its file. `--enable-source-maps` would read the maps of all modules at the start
 * and keep 14 MB that every garbage collection has to mark, about 6% of the processor time per message.
 */
export const sourceMappedStack = (stack: string): string =>
  stack.replace(FILE_URL, (word) => {
    const position = POSITION.exec(word);
    if (position === null) return word;
    const url = word.slice(0, position.index + EXTENSION.length);
    const source = url.includes('/dist/') ? sourcePosition(url, Number(position[1]), Number(position[2])) : null;
    return source === null ? word : source + word.slice(position.index + position[0].length);
  });

/** Null where there is no map, or the position is not in it. */
function sourcePosition(url: string, line: number, column: number): string | null {
  const entry = mapOf(url)?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return null;
  const file = resolve(dirname(fileURLToPath(url)), entry.originalSource);
  return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(url: string): SourceMap | null {
  let map = maps.get(url);
  if (map === undefined) maps.set(url, (map = readMap(url)));
  return map;
}

/** Null if there is no readable map. */
function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled files in a stack: ours, and others' where they come with a map. */
const PLACE = /(file:\/\/[^\s()]+\/dist\/[^\s()]+\.js):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | null>();

/**
 * A stack with our own places as file, line and column of the TypeScript they were written in.
 *
 * Maps are read when the first error of a file is told. `--enable-source-maps` reads those of every module at the start
 * and keeps them: 14 MB that each garbage collection walks through, some 6 % of the processor time per mail.
 */
export const readableStack = (stack: string): string =>
  stack.replace(PLACE, (place: string, url: string, line: string, column: string) => {
    const file = fileURLToPath(url);
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    return `${resolve(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map === undefined) maps.set(file, (map = readMap(file)));
  return map;
}

/** A stack without its map is still a stack. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}

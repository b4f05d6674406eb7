import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sourceMappedStack } from './source-mapped-stack.js';

describe('sourceMappedStack', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stack-'));
    mkdirSync(join(root, 'dist/libs'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** A frame at line 3, column 10 of a compiled file, whose map leads from there to line 2, column 5. */
  function frameOf(name: string, map?: string): string {
    const file = join(root, 'dist/libs', name);
    if (map !== undefined) writeFileSync(`${file}.map`, map);
    return `${pathToFileURL(file).href}:3:10`;
  }
  const MAP = JSON.stringify({ version: 3, sources: ['../../libs/a.ts'], names: [], mappings: ';;SACI' });

  it('replaces our own positions by those in TypeScript', () => {
    const frame = frameOf('a.js', MAP);
    const elsewhere = 'at run (node:internal/vm:209:10)\n    at f (file:///srv/node_modules/x/dist/y.js:1:1)';
    expect(sourceMappedStack(`Error: no\n    at read (${frame})\n    at async ${frame}\n    ${elsewhere}`)).toBe(
      `Error: no\n    at read (${root}/libs/a.ts:2:5)\n    at async ${root}/libs/a.ts:2:5\n    ${elsewhere}`,
    );
  });

  it.each([
    ['no map', undefined],
    ['a map that is none', '{'],
    ['a map that does not know the place', JSON.stringify({ version: 3, sources: [], names: [], mappings: '' })],
  ])('keeps a position if there is %s', (_, map) => {
    const stack = `Error: no\n    at read (${frameOf('b.js', map)})`;
    expect(sourceMappedStack(stack)).toBe(stack);
  });

  it.each(['file://host/dist/a.js:1:1', 'file:///dist/%zz.js:1:1', 'file:///dist/a.js'])(
    'keeps %s in a message',
    (text) => {
      expect(sourceMappedStack(`Error: ${text} is not a file`)).toBe(`Error: ${text} is not a file`);
    },
  );
});

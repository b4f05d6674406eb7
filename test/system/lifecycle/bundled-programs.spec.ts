import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sourceMappedStack } from '../../../libs/kernel/src/logging/source-mapped-stack.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
const BUNDLES = join(ROOT, 'dist/bundles');
/** `createRequire(import.meta.url)` of a module, under the name that the bundler gave it. */
const LOADER = /^(?:const|var|let) (\S+) = (?:\/\*.*?\*\/ )?createRequire\S*\(import\.meta\.url\);$/gm;

/** Packages without state, of which two copies do no harm. */
const STATELESS = ['picomatch'];

/** See docs/decisions/012. */
describe('the bundle of a program', () => {
  const files = readdirSync(BUNDLES)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ file: join(BUNDLES, name), text: readFileSync(join(BUNDLES, name), 'utf8') }));

  it('maps stack traces to the TypeScript sources', () => {
    const source = join(ROOT, 'libs/emails/src/intake/email-intake.ts');
    const [line] = linesWith(readFileSync(source, 'utf8'), 'async acceptBatch(');
    const [{ file, text }] = files.filter((one) => one.text.includes('let EmailIntake = '));
    const begin = text.indexOf('let EmailIntake = ');
    const place =
      linesWith(text.slice(begin), 'async acceptBatch(')[0] + linesWith(text.slice(0, begin), '').length - 1;
    const stack = `    at EmailIntake.acceptBatch (${pathToFileURL(file).href}:${place}:2)`;
    expect(sourceMappedStack(stack)).toMatch(`${source}:${line}:`);
  });

  it('contains no package that some module also loads by name at run time, which would be a second copy', () => {
    const loaded = files.flatMap(({ text }) =>
      [...text.matchAll(LOADER)].flatMap(([, name]) =>
        [...text.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\("([^"]+)"\\)`, 'g'))].map((call) =>
          packageOf(call[1]),
        ),
      ),
    );
    expect(loaded).toEqual(expect.arrayContaining(['class-transformer', 'class-validator', 'typeorm']));
    const bundled = new Set(
      files.flatMap(({ text }) => [...text.matchAll(/^\/\/ node_modules\/(\S+)/gm)].map(([, path]) => packageOf(path))),
    );
    expect(bundled).toContain('graphql');
    expect(loaded.filter((name) => bundled.has(name) && !STATELESS.includes(name))).toEqual([]);
  });

  it('contains no module that looks for files beside itself', () => {
    const places = files
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => /\b__(?:dirname|filename)\b/.test(line) && !/^\s*\*|typeof __filename/.test(line));
    expect(places).toEqual([]);
  });
});

const packageOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** Numbers of the lines that have the text, from 1. */
const linesWith = (text: string, wanted: string): number[] =>
  text.split('\n').flatMap((line, i) => (line.includes(wanted) ? [i + 1] : []));

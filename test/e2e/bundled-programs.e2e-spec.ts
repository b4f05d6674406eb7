import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readableStack } from '../../libs/kernel/src/readable-stack.js';
import { startStandalone } from '../support/program.js';
import { until } from '../support/until.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const PROGRAMS = join(ROOT, 'dist/programs');
/** `createRequire(import.meta.url)` of a module, under the name that the bundler gave it. */
const LOADER = /^(?:const|var|let) (\S+) = (?:\/\*.*?\*\/ )?createRequire\S*\(import\.meta\.url\);$/gm;

/** Functions that keep nothing: two copies of them are as good as one. */
const STATELESS = ['picomatch'];

/** docs/decisions/012. */
describe('the bundle of a program', () => {
  const files = readdirSync(PROGRAMS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ file: join(PROGRAMS, name), text: readFileSync(join(PROGRAMS, name), 'utf8') }));

  it('tells places of our own modules as those of the TypeScript', () => {
    const source = join(ROOT, 'libs/emails/src/intake/email-intake.ts');
    const [line] = linesWith(readFileSync(source, 'utf8'), 'async accept(');
    const [{ file, text }] = files.filter((one) => one.text.includes('let EmailIntake = '));
    const begin = text.indexOf('let EmailIntake = ');
    const place = linesWith(text.slice(begin), 'async accept(')[0] + linesWith(text.slice(0, begin), '').length - 1;
    const stack = `    at EmailIntake.accept (${pathToFileURL(file).href}:${place}:2)`;
    expect(readableStack(stack)).toMatch(`${source}:${line}:`);
  });

  it('has no package in it that some module loads by its name at run time: there would be two of them', () => {
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

  it('has no module in it that looks for files beside itself', () => {
    const places = files
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => /\b__(?:dirname|filename)\b/.test(line) && !/^\s*\*|typeof __filename/.test(line));
    expect(places).toEqual([]);
  });

  it('writes its log for people, too', async () => {
    const program = await startStandalone({ LOG_FORMAT: 'pretty' });
    try {
      // Written by a thread of its own, which may be behind.
      const line = /^\[\d\d:\d\d:\d\d\] INFO: started \{.*\}$/m;
      await until(async () => line.test(program.output()), { what: 'the line that it has started' });
      expect(await program.stop()).toBe(0);
    } finally {
      await program.kill();
      program.clean();
    }
  });
});

const packageOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** Numbers of the lines that have the text, from 1. */
const linesWith = (text: string, wanted: string): number[] =>
  text.split('\n').flatMap((line, i) => (line.includes(wanted) ? [i + 1] : []));

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#libs/kernel';
import { UsageError } from './command.js';
import { parseCommandLine } from './parse-command-line.js';

const PAGE = new URL('../../../../docs/operator-dns.md', import.meta.url);
const plain = (line: string) => line.replaceAll(/\s+/g, ' ');

/** The lines of the zone in the first code block of the page. */
const documented = (/```dns\n([^]*?)```/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith(';'))
  .map(plain);

async function printed(...words: string[]): Promise<string[]> {
  const invocation = parseCommandLine(['dns', ...words]);
  if (invocation.kind !== 'with_settings') return expect.fail('needs the database');
  const { text } = await invocation.run(loadConfig('cli', { SERVICE_DOMAIN: 'post.example.com' }));
  return text.split('\n').map(plain);
}

describe('cli dns', () => {
  it('prints the records of docs/operator-dns.md', async () => {
    const lines = await printed('--address', '192.0.2.10,2001:db8::10');
    expect(documented.length).toBeGreaterThan(8);
    expect(lines.filter((line) => !line.startsWith(';')).sort()).toEqual([...documented].sort());
  });

  it('refuses what is no address', () => {
    expect(() => parseCommandLine(['dns', '--address', '192.0.2.10,mail'])).toThrow(UsageError);
  });
});

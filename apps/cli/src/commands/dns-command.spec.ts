import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serviceRecords } from './dns-command.js';

const PAGE = new URL('../../../../docs/operator-dns.md', import.meta.url);
const SOURCES = ['192.0.2.10', '2001:db8::10'].map((address) => ({ address, heloName: 'smtp.post.example.com' }));

/** The records in the code blocks of the page: name, type and value. */
const documented = [...readFileSync(PAGE, 'utf8').matchAll(/```dns\n([^]*?)```/g)]
  .flatMap(([, block]) => block.split('\n'))
  .filter((line) => line !== '' && !line.startsWith(';'))
  .map((line) => line.split(/\s+(.*)/, 2).concat(line.split(/\s+/).slice(2).join(' ')))
  .map(([name, rest, value]) => `${name} ${rest.split(/\s/)[0]} ${value}`);

describe('serviceRecords', () => {
  it('are those of docs/operator-dns.md', () => {
    const lines = serviceRecords('post.example.com', SOURCES).map(
      ({ name, type, value }) => `${name}. ${type} ${value}`,
    );
    expect(documented.length).toBeGreaterThan(9);
    for (const line of documented) expect(lines).toContain(line);
  });

  it('have a line for each address', () => {
    const records = serviceRecords('post.example.com', [
      ...SOURCES,
      { address: '192.0.2.11', heloName: 'bulk.post.example.com' },
    ]);
    const of = (type: string) =>
      records.filter((record) => record.type === type).map(({ name, value }) => [name, value]);
    expect(of('A')).toEqual([
      ['smtp.post.example.com', '192.0.2.10'],
      ['bulk.post.example.com', '192.0.2.11'],
    ]);
    expect(of('PTR')).toContainEqual(['11.2.0.192.in-addr.arpa', 'bulk.post.example.com.']);
    expect(of('TXT')[0]).toEqual([
      'spf.post.example.com',
      '"v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 ip4:192.0.2.11 -all"',
    ]);
  });

  it('have a place for an address that is not known', () => {
    const [host, spf] = serviceRecords('post.example.com', [
      { address: '<the address that others see>', heloName: '' },
    ]);
    expect(host).toEqual({ name: 'smtp.post.example.com', type: 'A', value: '<the address that others see>' });
    expect(spf.value).toContain('ip4:<the address that others see>');
  });
});

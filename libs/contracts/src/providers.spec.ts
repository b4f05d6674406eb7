import { describe, expect, it } from 'vitest';
import { MAILBOX_PROVIDERS } from './providers.js';
import { providerOfQueue } from './remote-provider.js';

const repeated = (names: readonly string[]): string[] => names.filter((name, i) => names.indexOf(name) !== i);

describe('the mailbox providers', () => {
  it('have unique names', () => {
    expect(repeated(MAILBOX_PROVIDERS.map(({ name }) => name))).toEqual([]);
    expect(MAILBOX_PROVIDERS.filter(({ name }) => !/^[a-z0-9][a-z0-9-]{0,31}$/.test(name))).toEqual([]);
    expect(MAILBOX_PROVIDERS.filter(({ id }) => !/^[a-z0-9_]+$/.test(id ?? 'none'))).toEqual([]);
  });

  it('have one label each', () => {
    const labels = new Map(MAILBOX_PROVIDERS.map(({ name, id = name, label }) => [id, label]));
    expect(MAILBOX_PROVIDERS.filter(({ name, id = name, label }) => labels.get(id) !== label)).toEqual([]);
    expect(repeated([...labels.values()])).toEqual([]);
  });

  it.each([
    ['outlook', 'microsoft'],
    ['microsoft', 'microsoft'],
    ['gmx', 'united_internet'],
    ['t-online', 'telekom'],
    ['google', 'google'],
    ['domain:example.com', 'domain:example.com'],
  ])('have queues: %s belongs to %s', (queue, id) => {
    expect(providerOfQueue(queue)).toBe(id);
  });

  it('share no domain and no MX, and each has at least one of them', () => {
    expect(repeated(MAILBOX_PROVIDERS.flatMap(({ domains }) => domains))).toEqual([]);
    expect(repeated(MAILBOX_PROVIDERS.flatMap(({ mx }) => mx))).toEqual([]);
    expect(MAILBOX_PROVIDERS.filter(({ domains, mx }) => domains.length + mx.length === 0)).toEqual([]);
  });

  it('have names of hosts and domains in lower case', () => {
    const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
    const domain = new RegExp(`^${label}(?:\\.${label})*\\.?$`);
    expect(MAILBOX_PROVIDERS.flatMap(({ domains }) => domains).filter((name) => !domain.test(name))).toEqual([]);
    const suffix = new RegExp(`^${label}(?:\\.${label})*$`);
    expect(MAILBOX_PROVIDERS.flatMap(({ mx }) => mx).filter((name) => !suffix.test(name))).toEqual([]);
  });
});

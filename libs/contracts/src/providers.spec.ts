import { describe, expect, it } from 'vitest';
import { MAILBOX_PROVIDERS } from './providers.js';

const repeated = (names: readonly string[]): string[] => names.filter((name, i) => names.indexOf(name) !== i);

describe('the mailbox providers', () => {
  it('have unique names', () => {
    expect(repeated(MAILBOX_PROVIDERS.map(({ name }) => name))).toEqual([]);
    expect(MAILBOX_PROVIDERS.filter(({ name }) => !/^[a-z0-9][a-z0-9-]{0,31}$/.test(name))).toEqual([]);
    expect(MAILBOX_PROVIDERS.filter(({ statistics }) => !/^[a-z0-9_]+$/.test(statistics ?? 'none'))).toEqual([]);
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

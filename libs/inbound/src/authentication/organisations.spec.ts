import { describe, expect, it } from 'vitest';
import { mailboxProviders } from '#libs/contracts';
import { isNameOfMxHost, organisationalDomain, reportingOrganisations } from './organisations.js';

describe('organisationalDomain', () => {
  it.each([
    ['mail.example.co.uk', 'example.co.uk'],
    ['example.com', 'example.com'],
    ['a.b.user.github.io', 'user.github.io'],
    ['ec2-192-0-2-1.compute-1.amazonaws.com', null],
    ['github.io', null],
    ['co.uk', null],
    ['192.0.2.1', null],
    ['', null],
  ])('of %s is %s', (name, expected) => {
    expect(organisationalDomain(name)).toBe(expected);
  });
});

describe('reportingOrganisations', () => {
  const of = (domain: string, ...mxHosts: string[]) => [...reportingOrganisations(domain, mxHosts)].toSorted();

  it('are those of the domain and of its MX hosts', () => {
    expect(of('rcpt.example.org', 'mx1.host.example', 'mx2.host.example')).toEqual(['example.org', 'host.example']);
    expect(of('rcpt.example.org')).toEqual(['example.org']);
  });

  it('include the provider of the domain', () => {
    expect(of('yahoo.co.uk', 'mx-eu.mail.am0.yahoodns.net')).toEqual(
      expect.arrayContaining(['yahoo.co.uk', 'yahoo.com', 'yahoodns.net', 'aol.com']),
    );
    expect(of('hotmail.fr', 'hotmail-com.olc.protection.outlook.com')).toEqual(
      expect.arrayContaining(['hotmail.com', 'outlook.com']),
    );
  });

  it('include the provider of the MX hosts', () => {
    expect(of('company.example', 'company-example.mail.protection.outlook.com')).toContain('outlook.com');
    expect(of('company.example', 'aspmx.l.google.com')).toContain('gmail.com');
  });

  it('do not include a provider for a name that only contains its name', () => {
    expect(of('yahoo.example.com')).toEqual(['example.com']);
    expect(of('company.example', 'mx.notgoogle.com')).toEqual(['company.example', 'notgoogle.com']);
  });

  // Anybody can register such names.
  it('never include a provider name below another top-level domain than com', () => {
    const families = mailboxProviders.all.flatMap(({ domains }) => domains.filter((domain) => domain.endsWith('.')));
    expect(families.length).toBeGreaterThan(5);
    for (const family of families) expect(of(`${family}com`)).not.toContain(`${family}xyz`);
  });
});

describe('isNameOfMxHost', () => {
  it.each([
    ['mx.host.example', 'mx.host.example', true],
    ['out.mx.host.example', 'mx.host.example', true],
    ['outmx.host.example', 'mx.host.example', false],
    ['vps1.host.example', 'mx.host.example', false],
    ['host.example', 'mx.host.example', false],
    ['host.example', 'host.example', true],
    ['vps1.host.example', 'host.example', false],
    ['ec2-192-0-2-1.compute-1.amazonaws.com', 'ec2-192-0-2-1.compute-1.amazonaws.com', true],
    ['ec2-192-0-2-1.compute-1.amazonaws.com', 'compute-1.amazonaws.com', false],
    ['user.github.io', 'github.io', false],
  ])('%s with the MX host %s: %s', (name, host, expected) => {
    expect(isNameOfMxHost(name, ['mx.other.example', host])).toBe(expected);
  });
});

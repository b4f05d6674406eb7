import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABILITIES, LEAST_ROLE, operates, ROLE_ABILITIES, ROLE_SCOPES, ROLES, SCOPES } from '#libs/contracts';

describe('roles', () => {
  it('give each scope to one role and those above it', () => {
    for (const scope of SCOPES) {
      const holders = ROLES.filter((role) => ROLE_SCOPES[role].has(scope));
      expect(holders, scope).toEqual(ROLES.slice(0, ROLES.indexOf(LEAST_ROLE[scope]) + 1));
      expect(holders.includes('viewer'), scope).toBe(scope.endsWith('.read'));
    }
    // Operations with these scopes show nothing of the content of emails.
    expect([...ROLE_SCOPES.analyst]).toEqual(['domains.read', 'stats.read', 'account.read']);
    expect([...ROLE_SCOPES.owner]).toEqual([...SCOPES]);
  });

  it('give the abilities of people', () => {
    for (const role of ['analyst', 'viewer', 'developer'] as const)
      expect([...ROLE_ABILITIES[role]]).toEqual(['states.read', 'members.read']);
    expect([...ROLE_ABILITIES.admin]).toEqual(['states.read', 'members.read', 'members.write']);
    expect([...ROLE_ABILITIES.owner]).toEqual(['states.read', 'members.read', 'members.write', 'owners.write']);
    expect(ROLES.filter(operates)).toEqual(['owner', 'admin']);
  });

  it('are listed in the documentation', () => {
    const page = readFileSync(new URL('../../docs/dashboard-login.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([\w.]+)` +\| `(\w+)` +\|/gm)].map(([, name, role]) => [name, role]);
    expect(Object.fromEntries(rows)).toEqual(LEAST_ROLE);
    expect(rows).toHaveLength(SCOPES.length + ABILITIES.length);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABILITIES, OPERATOR_SCOPES, SCOPES, roleRights } from '#libs/contracts';

describe('roles', () => {
  it('give each scope to one role and those above it', () => {
    const ordinary = SCOPES.filter((scope) => !OPERATOR_SCOPES.has(scope));
    for (const scope of ordinary) {
      const holders = roleRights.all.filter((role) => roleRights.scopes[role].has(scope));
      expect(holders, scope).toEqual(roleRights.all.slice(0, roleRights.all.indexOf(roleRights.least[scope]) + 1));
      expect(holders.includes('viewer'), scope).toBe(scope.endsWith('.read'));
    }
    // Operations with these scopes show nothing of the content of emails.
    expect([...roleRights.scopes.analyst]).toEqual(['domains.read', 'stats.read', 'account.read']);
    expect([...roleRights.scopes.owner]).toEqual(ordinary);
  });

  it('give the abilities of people', () => {
    for (const role of ['analyst', 'viewer', 'developer'] as const)
      expect([...roleRights.abilities[role]]).toEqual(['states.read', 'members.read']);
    expect([...roleRights.abilities.admin]).toEqual(['states.read', 'members.read', 'members.write']);
    expect([...roleRights.abilities.owner]).toEqual(['states.read', 'members.read', 'members.write', 'owners.write']);
    expect(roleRights.all.filter(roleRights.operates)).toEqual(['owner', 'admin']);
  });

  it('are listed in the documentation', () => {
    const page = readFileSync(new URL('../../docs/dashboard-login.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([\w.]+)` +\| `(\w+)` +\|/gm)].map(([, name, role]) => [name, role]);
    expect(Object.fromEntries(rows)).toEqual(roleRights.least);
    expect(rows).toHaveLength(SCOPES.length + ABILITIES.length);
  });
});

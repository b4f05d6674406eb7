import { SCOPES } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { assertScope, assertStanding, PERMISSION_SCOPES } from './principal.js';

describe('a principal', () => {
  it('is refused by the standing of its account', () => {
    expect(() => assertStanding({ standing: 'active' })).not.toThrow();
    expect(() => assertStanding({ standing: 'blocked' })).toThrow(expect.objectContaining({ code: 'account_blocked' }));
    expect(() => assertStanding({ standing: 'overdue' })).toThrow(expect.objectContaining({ code: 'account_overdue' }));
  });

  it('is limited by the scopes of its key', () => {
    const sending = { mode: 'live' as const, scopes: PERMISSION_SCOPES.sending_access };
    expect(() => assertScope(sending, 'emails.send')).not.toThrow();
    expect(() => assertScope(sending, 'emails.read')).toThrow(expect.objectContaining({ code: 'restricted_api_key' }));
    expect(() => assertScope({ mode: 'live', scopes: PERMISSION_SCOPES.full_access }, 'stats.read')).not.toThrow();
  });

  it('of a test key changes nothing that live mail shares', () => {
    const test = { mode: 'test' as const, scopes: PERMISSION_SCOPES.full_access };
    const refused = SCOPES.filter((scope) => {
      try {
        assertScope(test, scope);
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toEqual([
      'domains.write',
      'webhooks.write',
      'suppressions.write',
      'api_keys.write',
      'account.write',
      'operator.accounts',
    ]);
  });
});

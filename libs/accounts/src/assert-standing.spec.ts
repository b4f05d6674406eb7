import { describe, expect, it } from 'vitest';
import { assertScope } from './assert-scope.js';
import { assertStanding } from './assert-standing.js';
import { PERMISSION_SCOPES } from './principal.js';

describe('what a principal may do', () => {
  it('depends on the standing of its account', () => {
    expect(() => assertStanding({ standing: 'active' })).not.toThrow();
    expect(() => assertStanding({ standing: 'blocked' })).toThrow(expect.objectContaining({ code: 'account_blocked' }));
    expect(() => assertStanding({ standing: 'overdue' })).toThrow(expect.objectContaining({ code: 'account_overdue' }));
  });

  it('depends on the scopes of its key', () => {
    const sending = { scopes: PERMISSION_SCOPES.sending_access };
    expect(() => assertScope(sending, 'emails.send')).not.toThrow();
    expect(() => assertScope(sending, 'emails.read')).toThrow(expect.objectContaining({ code: 'restricted_api_key' }));
    expect(() => assertScope({ scopes: PERMISSION_SCOPES.full_access }, 'stats.read')).not.toThrow();
  });
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  vi.resetModules();
});
afterEach(() => vi.unstubAllGlobals());

it('names the account that the page shows, even after another tab has chosen another', async () => {
  const page = await import('./http.ts');
  expect(page.accountHeaders()).toEqual({});
  expect(page.showAccount('acc_first')).toBe(true);
  expect(page.accountHeaders()).toEqual({ 'x-account-id': 'acc_first' });
  stored.set('account', 'acc_other');
  expect(page.accountHeaders()).toEqual({ 'x-account-id': 'acc_first' });
  expect(page.showAccount('acc_other')).toBe(false);
  expect(page.selectedAccount()).toBe('acc_first');
});

it('asks for the session of the account that was chosen last', async () => {
  const page = await import('./http.ts');
  page.selectAccount('acc_chosen');
  expect(page.accountHeaders()).toEqual({ 'x-account-id': 'acc_chosen' });
});

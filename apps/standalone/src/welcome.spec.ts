import { execFileSync } from 'node:child_process';
import { loadConfig } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { welcome } from './welcome.js';

/** The header of the printed command after the shell has expanded it. */
function headerOf(text: string, env: Record<string, string> = {}): string {
  const [, header] = /curl -s \S+\/emails -H (.*?) -H 'Content-Type/.exec(text) ?? [];
  return execFileSync('/bin/sh', ['-c', `printf %s ${header}`], { env, encoding: 'utf8' });
}

describe('welcome', () => {
  it('shows a key created by this start and uses it', () => {
    const text = welcome(loadConfig('standalone', {}), { firstKey: 'pl_live_new', loginUrl: null });
    expect(text).toContain('First API key      pl_live_new  (shown this once)');
    expect(headerOf(text)).toBe('Authorization: Bearer pl_live_new');
  });

  it('uses a shell variable if the key is unknown', () => {
    const text = welcome(loadConfig('standalone', {}), { firstKey: null, loginUrl: null });
    expect(text).toContain('as shown at the first start');
    expect(headerOf(text, { API_KEY: 'pl_live_known' })).toBe('Authorization: Bearer pl_live_known');
  });

  it('shows the link of the first login as long as it is needed', () => {
    const loginUrl = 'http://localhost:3000/app/login?link=abc';
    expect(welcome(loadConfig('standalone', {}), { firstKey: null, loginUrl })).toContain(
      `Dashboard          ${loginUrl}  `,
    );
    const later = welcome(loadConfig('standalone', {}), { firstKey: null, loginUrl: null });
    expect(later).toContain('Dashboard          http://localhost:3000/app/\n');
  });

  it('never shows the key that the operator has set', () => {
    const BOOTSTRAP_API_KEY = 'pl_live_set-by-the-operator';
    for (const firstKey of [null, 'pl_live_new']) {
      const text = welcome(loadConfig('standalone', { BOOTSTRAP_API_KEY }), { firstKey, loginUrl: null });
      expect(text).not.toContain(BOOTSTRAP_API_KEY);
    }
    const text = welcome(loadConfig('standalone', { BOOTSTRAP_API_KEY }), { firstKey: null, loginUrl: null });
    expect(text).toContain('API key            as set by BOOTSTRAP_API_KEY');
    expect(headerOf(text, { API_KEY: BOOTSTRAP_API_KEY })).toBe(`Authorization: Bearer ${BOOTSTRAP_API_KEY}`);
  });
});

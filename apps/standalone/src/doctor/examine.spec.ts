import { loadConfig } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import type { Check } from './check.js';
import { examine } from './examine.js';
import { error, ok } from './finding.js';

const check = (name: string, look: Check['look'], isOfDelivery?: true): Check => ({
  name,
  title: `About ${name}`,
  asks: '',
  look,
  ...(isOfDelivery === undefined ? {} : { isOfDelivery }),
});
const run = async (checks: Check[], env: Record<string, string> = { DELIVERY_MODE: 'mx' }) => {
  const config = loadConfig('cli', env);
  const { findings, close } = await examine({ config, checks, domain: null, limitMs: 50 }).then((examination) => ({
    findings: examination.findings,
    close: () => examination.close(),
  }));
  await close();
  return findings;
};
const broken = error({ subject: 'x', message: 'It is broken.', fix: 'mend it' });

describe('an examination', () => {
  it('keeps the order of its checks, whoever is first', async () => {
    const slow = check('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [ok({ subject: 's', message: '' })];
    });
    const quick = check('quick', () => Promise.resolve([ok({ subject: 'q', message: '' })]));
    expect((await run([slow, quick])).map((found) => found.check)).toEqual(['slow', 'quick']);
  });

  it('ends although a check hangs, and tells it to stop', async () => {
    let isStopped = false;
    const hanging = check('hanging', ({ signal }) => {
      signal.addEventListener('abort', () => (isStopped = true));
      return new Promise(() => undefined);
    });
    const found = await run([hanging, check('fine', () => Promise.resolve([broken]))]);
    expect(found.map(({ check: name, status }) => [name, status])).toEqual([
      ['hanging', 'skipped'],
      ['fine', 'error'],
    ]);
    expect(found[0].message).toBe('Not all of it answered within 0.05 s.');
    expect(isStopped).toBe(true);
  });

  it('says of a check that fails that it could not be looked at', async () => {
    const failing = check('failing', () => Promise.reject(new Error('no such thing\n  with details')));
    expect(await run([failing])).toEqual([
      {
        check: 'failing',
        status: 'skipped',
        subject: 'About failing',
        message: 'This could not be looked at: no such thing',
        fix: null,
        facts: {},
      },
    ]);
  });

  it('has warnings for errors of delivery while nothing is delivered', async () => {
    const checks = [
      check('way', () => Promise.resolve([broken]), true),
      check('disk', () => Promise.resolve([broken])),
    ];
    expect((await run(checks, { DELIVERY_MODE: 'capture' })).map(({ status }) => status)).toEqual(['warning', 'error']);
    expect((await run(checks)).map(({ status }) => status)).toEqual(['error', 'error']);
  });
});

import { loadConfig } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { error, ok, type Check } from './check.js';
import { runChecks } from './run-checks.js';

const check = (name: string, run: Check['run'], isAboutDelivery?: true): Check => ({
  name,
  title: `About ${name}`,
  run,
  ...(isAboutDelivery === undefined ? {} : { isAboutDelivery }),
});
const resultsOf = async (checks: Check[], env: Record<string, string> = { DELIVERY_MODE: 'mx' }) => {
  const run = await runChecks({ config: loadConfig('cli', env), checks, domain: null, limitMs: 50 });
  await run.close();
  return run.results;
};
const broken = error({ subject: 'x', message: 'It is broken.', fix: 'mend it' });

describe('a run of checks', () => {
  it('reports in the order of the checks, not of their ends', async () => {
    const slow = check('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [ok({ subject: 's', message: '' })];
    });
    const quick = check('quick', () => Promise.resolve([ok({ subject: 'q', message: '' })]));
    expect((await resultsOf([slow, quick])).map((result) => result.check)).toEqual(['slow', 'quick']);
  });

  it('ends although a check hangs, and aborts that check', async () => {
    let isAborted = false;
    const hanging = check('hanging', ({ signal }) => {
      signal.addEventListener('abort', () => (isAborted = true));
      return new Promise(() => undefined);
    });
    const results = await resultsOf([hanging, check('fine', () => Promise.resolve([broken]))]);
    expect(results.map(({ check: name, status }) => [name, status])).toEqual([
      ['hanging', 'skipped'],
      ['fine', 'error'],
    ]);
    expect(results[0].message).toBe('Not all of it answered within 0.05 s.');
    expect(isAborted).toBe(true);
  });

  it('reports a check that throws as skipped, with the reason', async () => {
    const failing = check('failing', () => Promise.reject(new Error('no such thing\n  with details')));
    expect(await resultsOf([failing])).toEqual([
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

  it('reports errors of delivery as warnings while mail is only captured', async () => {
    const checks = [
      check('way', () => Promise.resolve([broken]), true),
      check('disk', () => Promise.resolve([broken])),
    ];
    expect((await resultsOf(checks, { DELIVERY_MODE: 'capture' })).map(({ status }) => status)).toEqual([
      'warning',
      'error',
    ]);
    expect((await resultsOf(checks)).map(({ status }) => status)).toEqual(['error', 'error']);
  });
});

import { expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import type { Stage } from './stage.js';

interface Totals {
  settled: number;
  simulated: number;
  delivered_of_settled: number;
}

/** The same rate on every page, whatever else was sent before. */
export function ratesSuite(stage: () => Stage): void {
  it('shows one delivery rate of settled recipients on Overview, Statistics, Usage and Accounts', async () => {
    const { owner, service, network } = stage();
    await network.mailServer('refusing.example', { on: { rcpt: '550 5.1.1 No such user' } });
    const totals = async () => {
      const metrics = 'settled,simulated,delivered_of_settled';
      return (await service.json<{ totals: Totals }>('GET', `/stats?metrics=${metrics}`)).totals;
    };
    const before = await totals();
    const simulated = ['bounced', 'failed', 'opened'].map((outcome) => `${outcome}@sim.postloft.test`);
    for (const to of ['gone@refusing.example', ...simulated])
      await service.call('POST', '/emails', service.mail({ to }));
    await until(
      async () => {
        const now = await totals();
        return now.settled === before.settled + 1 && now.simulated === before.simulated + simulated.length;
      },
      { what: 'the outcomes in the statistics' },
    );
    const { delivered_of_settled: share, settled } = await totals();
    const digits = share < 0.01 || share > 0.99 ? 2 : 1;
    const rate = `${Number((share * 100).toFixed(digits))}%`;
    const shown = owner.page.locator('[data-number="Delivery rate"]');

    await owner.visit('Overview');
    await owner.page.reload();
    await until(async () => (await shown.innerText()) === rate, { what: `${rate} on the overview` });
    await owner.page.getByText(`of ${settled} settled recipients`).first().waitFor();

    await owner.visit('Statistics');
    await until(async () => (await shown.innerText()) === rate, { what: `${rate} in the statistics` });
    await owner.page.getByText(`of ${settled} settled recipients`).first().waitFor();

    await owner.page.getByText('Unique opens').first().waitFor();
    const fills = await owner.page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-bar]')].map((bar) => getComputedStyle(bar).fill)`,
    );
    // A pattern that is not found is filled with black.
    expect(fills).not.toContain('rgb(0, 0, 0)');
    expect(fills.length).toBeGreaterThan(0);

    await owner.visit('Usage');
    const month = owner.page.getByRole('table', { name: 'Usage by month' });
    await month.getByText(`of ${settled}`, { exact: true }).first().waitFor();
    expect(await month.innerText()).toContain(rate);

    await owner.visit('Accounts');
    const accounts = owner.page.getByRole('table', { name: 'Accounts' });
    await accounts.getByText(rate, { exact: true }).first().waitFor();
  });
}

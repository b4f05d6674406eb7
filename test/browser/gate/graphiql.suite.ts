import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import type { Stage } from './stage.js';

/** GraphiQL at /graphql, with an API key and with a session. */
export function graphiqlSuite(stage: () => Stage): void {
  /** Runs the operation of the tab, once the editor shows it. */
  const run = async (page: Page, operation: string) => {
    await page.getByRole('region', { name: 'Operation Editor' }).getByText(operation).first().waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
  };
  const status = (page: Page) => page.getByRole('status').first().innerText();
  /** The response as the editor shows it, without the spaces by which it indents lines. */
  const response = async (page: Page): Promise<string> =>
    (await page.locator('.result-window .view-lines').innerText()).replaceAll(/\s+/g, '');
  const responseWith = (page: Page, text: RegExp) =>
    until(async () => (await response(page)).match(text), { what: `${text} in the response` });

  it('sends what is written with the API key that is entered', async () => {
    const { service } = stage();
    const { page } = await stage().stranger();
    await page.goto('/graphql');
    await until(async () => (await status(page)).startsWith('Enter an API key'));
    await page.getByLabel('API key').fill(service.key);
    await page.getByRole('button', { name: 'Use key' }).click();
    await until(async () => (await status(page)) === 'Requests use the API key.');
    await run(page, 'domains');
    await responseWith(page, /"domains":\[\{"id":"dom_/);

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Subscription', exact: true }).click();
    await page.getByText('of all domains that the key sees').first().waitFor();
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();

    await page.getByRole('tab', { name: 'Live' }).click();
    await run(page, 'accountStats');
    const [, accepted] = (await responseWith(page, /"accepted":(\d+),/)) ?? [];
    const sent = await service.call('POST', '/emails', service.mail({ to: 'live@example.com', subject: 'Live' }));
    expect(sent.status).toBe(201);
    await responseWith(page, new RegExp(`"accepted":${Number(accepted) + 1},`));
    // A key is kept by the page alone.
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(service.key);
  });

  it('sends it with the session of an owner', async () => {
    // A tab of its own: the owner stays where the next test expects it.
    const page = await stage().owner.context.newPage();
    try {
      await page.goto('/graphql');
      await until(async () => (await status(page)).startsWith('Requests use your session: '));
      await run(page, 'domains');
      await responseWith(page, /"domains":\[\{"id":"dom_/);
      await page.getByRole('tab', { name: 'Live' }).click();
      await run(page, 'accountStats');
      await responseWith(page, /"accepted":\d+,/);
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    } finally {
      await page.close();
    }
  });
}

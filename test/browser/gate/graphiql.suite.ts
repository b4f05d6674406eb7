import { expect, it } from 'vitest';
import type { Profile } from '../../support/chromium.js';
import { until } from '../../support/until.js';
import type { Stage } from './stage.js';

/** GraphiQL at /graphql, with an API key and with a session. */
export function graphiqlSuite(stage: () => Stage): void {
  const run = ({ page }: Profile) => page.getByRole('button', { name: /^Execute query/ }).click();
  const status = ({ page }: Profile) => page.getByRole('status').first().innerText();
  /** The response as the editor shows it, without the spaces by which it indents lines. */
  const response = async ({ page }: Profile): Promise<string> =>
    (await page.locator('.result-window .view-lines').innerText()).replaceAll(/\s+/g, '');
  const responseWith = (profile: Profile, text: RegExp) =>
    until(async () => (await response(profile)).match(text), { what: `${text} in the response` });

  it('sends what is written with the API key that is entered', async () => {
    const { service } = stage();
    const reader = await stage().stranger();
    const { page } = reader;
    await page.goto('/graphql');
    expect(await status(reader)).toMatch(/^Enter an API key/);
    await page.getByLabel('API key').fill(service.key);
    await page.getByRole('button', { name: 'Use key' }).click();
    await until(async () => (await status(reader)) === 'Requests use the API key.');
    await run(reader);
    await responseWith(reader, /"domains":\[\{"id":"dom_/);

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Subscription', exact: true }).click();
    await page.getByText('of all domains that the key sees').first().waitFor();
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();

    await page.getByRole('tab', { name: 'Live' }).click();
    await run(reader);
    const [, accepted] = (await responseWith(reader, /"accepted":(\d+),/)) ?? [];
    const sent = await service.call('POST', '/emails', service.mail({ to: 'live@example.com', subject: 'Live' }));
    expect(sent.status).toBe(201);
    await responseWith(reader, new RegExp(`"accepted":${Number(accepted) + 1},`));
    // A key is kept by the page alone.
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(service.key);
  });

  it('sends it with the session of an owner', async () => {
    const { owner } = stage();
    await owner.page.goto('/graphql');
    await until(async () => (await status(owner)).startsWith('Requests use your session: '));
    await run(owner);
    await responseWith(owner, /"domains":\[\{"id":"dom_/);
    await owner.page.getByRole('tab', { name: 'Live' }).click();
    await run(owner);
    await responseWith(owner, /"accepted":\d+,/);
    await owner.page.getByRole('link', { name: 'Dashboard' }).click();
    await owner.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
}

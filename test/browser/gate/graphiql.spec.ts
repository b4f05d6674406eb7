import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  Chromium,
  dashboardOrigin,
  describeInChromium,
  printedLoginLink,
  type Profile,
} from '../../support/chromium.js';
import { startStandalone, type RunningProgram } from '../../support/program.js';
import { until } from '../../support/until.js';

describeInChromium('GraphiQL in Chromium', () => {
  let program: RunningProgram;
  let chromium: Chromium;
  beforeAll(async () => {
    [program, chromium] = await Promise.all([startStandalone(), Chromium.launch()]);
  });
  afterAll(async () => {
    await chromium?.close();
    await program?.stop();
    program?.clean();
  });

  const run = (profile: Profile) => profile.page.getByRole('button', { name: /^Execute query/ }).click();
  const status = (profile: Profile) => profile.page.getByRole('status').first().innerText();
  /** The response as the editor shows it, without the spaces by which it indents lines. */
  const response = async (profile: Profile): Promise<string> =>
    (await profile.page.locator('.result-window .view-lines').innerText()).replaceAll(/\s+/g, '');
  const responseWith = (profile: Profile, text: string) =>
    until(async () => (await response(profile)).includes(text), { what: `${text} in the response` });

  it('sends what is written with the API key that is entered', async () => {
    const stranger = await chromium.profile(dashboardOrigin(program));
    const { page } = stranger;
    await page.goto('/graphql');
    expect(await status(stranger)).toMatch(/^Enter an API key/);
    await page.getByLabel('API key').fill(program.key);
    await page.getByRole('button', { name: 'Use key' }).click();
    await until(async () => (await status(stranger)) === 'Requests use the API key.');
    await run(stranger);
    await responseWith(stranger, '"domains":[{"id":"dom_');

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Subscription', exact: true }).click();
    await page.getByText('of all domains that the key sees').first().waitFor();
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();

    await page.getByRole('tab', { name: 'Live' }).click();
    await run(stranger);
    await responseWith(stranger, '"accepted":0,');
    const sent = await program.call('POST', '/emails', {
      from: 'a@sandbox.postloft.test',
      to: 'b@example.com',
      subject: 'Hello',
      text: 'Hello',
    });
    expect(sent.status).toBe(201);
    await responseWith(stranger, '"accepted":1,');
    // A key is kept by the page alone.
    const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(stored).not.toContain(program.key);
  });

  it('sends it with the session of an owner', async () => {
    const owner = await chromium.profile(dashboardOrigin(program));
    await owner.page.goto(await printedLoginLink(program));
    await owner.page.getByRole('heading', { level: 1 }).waitFor();
    await owner.page.goto('/graphql');
    await until(async () => (await status(owner)).startsWith('Requests use your session: '));
    await run(owner);
    await responseWith(owner, '"domains":[{"id":"dom_');
    await owner.page.getByRole('tab', { name: 'Live' }).click();
    await run(owner);
    await responseWith(owner, '"accepted":');
  });

  it('asks no other host, and causes no error', () => {
    expect(chromium.problems()).toEqual([]);
  });
});

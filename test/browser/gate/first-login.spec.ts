import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  Chromium,
  dashboardOrigin,
  describeInChromium,
  printedLoginLink,
  type Profile,
} from '../../support/chromium.js';
import { startStandalone, type RunningProgram } from '../../support/program.js';

describeInChromium('The dashboard in Chromium', () => {
  let program: RunningProgram;
  let chromium: Chromium;
  let owner: Profile;

  beforeAll(async () => {
    [program, chromium] = await Promise.all([startStandalone(), Chromium.launch()]);
    owner = await chromium.profile(dashboardOrigin(program));
  });
  afterAll(async () => {
    await chromium?.close();
    await program?.stop();
    program?.clean();
  });

  it('logs the first owner in by the printed link', async () => {
    await owner.page.goto(await printedLoginLink(program));
    await owner.page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(owner.page.url()).pathname).toBe('/app/');
  });

  it('opens every page of its navigation, without an error and without a request to another host', async () => {
    const pages = await owner.pages();
    expect(pages.length).toBeGreaterThan(10);
    for (const { label, path } of pages) {
      await owner.page.goto(path);
      await owner.page.getByRole('heading', { level: 1 }).waitFor();
      expect(await owner.page.getByRole('heading', { level: 1 }).innerText(), path).not.toBe('Page not found');
      expect(await owner.page.locator('nav [aria-current=page]').innerText()).toBe(label);
    }
    expect(chromium.problems()).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Chromium, describeInChromium, type Profile } from '../support/browser/chromium.js';
import { emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';

const PHONE = { width: 390, height: 844 };

/** Runs in the page: what reaches beyond the right edge of the window. */
const TOO_WIDE = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const reaching = [...document.querySelectorAll('body *')].filter(
    (one) => one.getBoundingClientRect().right > clientWidth + 1,
  );
  return reaching.slice(0, 5).map((one) => one.tagName + '.' + one.className);
})()`;

/** The documentation of the API as somebody reads it on a phone. */
describeInChromium('/docs on a phone', () => {
  let service: RunningProgram;
  let chromium: Chromium;
  let profile: Profile;
  let page: Page;

  beforeAll(async () => {
    service = await launch('standalone', await standaloneEnv(emptyDataDir()));
    chromium = await Chromium.launch();
    profile = await chromium.profile(service, { viewport: PHONE });
    page = profile.page;
  });
  afterAll(async () => {
    await chromium?.close();
    await service?.kill();
    service?.clean();
  });

  it('never scrolls sideways, with an operation of each kind open', async () => {
    await page.goto('/docs');
    const sections = page.locator('.opblock-tag-section');
    await sections.first().waitFor();
    expect(await page.evaluate(TOO_WIDE)).toEqual([]);
    const count = await sections.count();
    expect(count).toBeGreaterThan(10);
    for (let index = 0; index < count; index++) {
      const operation = sections.nth(index).locator('.opblock').first();
      const summary = operation.locator('.opblock-summary-control');
      await summary.click();
      await operation.locator('.responses-table').first().waitFor();
      const name = (await summary.innerText()).replaceAll(/\s+/g, ' ');
      expect([name, await page.evaluate(TOO_WIDE)]).toEqual([name, []]);
      await summary.click();
    }
    expect(chromium.takeProblems()).toEqual([]);
  });

  it('proposes a time in the next 72 hours for an email to be rescheduled', async () => {
    await page.goto('/docs');
    const operation = page.locator('.opblock', { hasText: 'Reschedule an email' }).first();
    await operation.locator('.opblock-summary-control').click();
    const example = await operation.locator('.body-param__example').innerText();
    const { scheduled_at: time } = JSON.parse(example) as { scheduled_at: string };
    const hours = (Date.parse(time) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(0.5);
    expect(hours).toBeLessThan(72);
  });
});

import { beforeAll, expect, it } from 'vitest';
import type { Profile } from '../../support/browser/chromium.js';
import { openSettled } from '../pages/every-page.js';
import { misfitsOn, violationsOn } from '../pages/judge-page.js';
import type { Stage } from './stage.js';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

/** Every page on a dark phone, and its colors on a light screen; `test/browser/pages` has all four combinations. */
export function accessibleSuite(stage: () => Stage): void {
  let visitor: Profile;

  beforeAll(async () => {
    const { chromium, service } = stage();
    // The policy of the pages also stops the scripts of a test.
    visitor = await chromium.profile(service, { bypassCSP: true });
    await visitor.page.setViewportSize(DESKTOP);
    await visitor.page.goto(await stage().loginLink());
    await visitor.heading().waitFor();
  });

  const show = async (colorScheme: 'light' | 'dark', size: typeof PHONE) => {
    await visitor.page.emulateMedia({ colorScheme });
    await visitor.page.setViewportSize(size);
  };

  it('is accessible on every page', async () => {
    const { page } = visitor;
    const pages = await visitor.pages();
    const findings: string[] = [];
    for (const { label, path } of pages) {
      await show('dark', PHONE);
      await openSettled(visitor, path);
      const found = [...(await misfitsOn(page)), ...(await violationsOn(page))];
      await show('light', DESKTOP);
      found.push(...(await violationsOn(page, ['color-contrast'])));
      findings.push(...found.map((one) => `${label}: ${one}`));
    }
    expect(findings).toEqual([]);
  });
}

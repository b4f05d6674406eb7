import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium, printedLoginLink, type Profile } from '../../support/browser/chromium.js';
import { Stage } from '../gate/stage.js';
import { everyPage, openSettled } from './every-page.js';
import { fillAccount, type Filled } from './fill-account.js';
import { misfitsOn, violationsOn } from './judge-page.js';
import { OPENED } from './opened.js';
import { tabThrough } from './tab-through.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SCREENSHOTS = join(ROOT, '.tools', 'screenshots');
/** Menus and lists of choices take or keep the focus, wherever in the document they are: nobody looks for them by landmarks. */
const BESIDE_LANDMARKS = 'region ';
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

describeInChromium('Every page', () => {
  let stage: Stage;
  let reader: Profile;
  let stranger: Profile;
  let filled: Filled;

  beforeAll(async () => {
    stage = await Stage.open({ PENALTY_POOL: '127.0.0.9=penalty.example.org' });
    // The policy of the pages also stops the scripts of a test.
    reader = await stage.chromium.profile(stage.service, { bypassCSP: true });
    stranger = await stage.chromium.profile(stage.service, { bypassCSP: true });
    await reader.page.goto(await printedLoginLink(stage.service));
    await reader.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
  afterAll(() => stage?.close());

  describe('of an empty account', () => looks(() => null));

  describe('of an account in use', () => {
    beforeAll(async () => {
      filled = await fillAccount(stage);
      await runDoctor(reader);
    });
    looks(() => filled);

    it('is accessible in dialogs, menus and choices', async () => {
      const findings: string[] = [];
      for (const colorScheme of SCHEMES)
        for (const [screen, size] of Object.entries(WIDTHS)) {
          await reader.page.emulateMedia({ colorScheme });
          await reader.page.setViewportSize(size);
          for (const { name, path, open } of OPENED) {
            await openSettled(reader, path);
            await open(reader);
            const violations = (await violationsOn(reader.page)).filter((one) => !one.startsWith(BESIDE_LANDMARKS));
            const found = [...violations, ...(await misfitsOn(reader.page))];
            findings.push(...found.map((one) => `${name}, ${colorScheme}, ${screen}: ${one}`));
            await reader.page.keyboard.press('Escape');
          }
        }
      expect(findings).toEqual([]);
    }, 600_000);

    it('reaches every control by the tabulator key', async () => {
      await reader.page.setViewportSize(WIDTHS.desktop);
      for (const { name, path } of await everyPage(reader, filled)) {
        await openSettled(reader, path);
        expect(await tabThrough(reader.page), name).toEqual([]);
      }
    });
  });

  function looks(of: () => Filled | null): void {
    for (const scheme of SCHEMES)
      for (const [screen, size] of Object.entries(WIDTHS))
        it(`is accessible and fits its screen: ${scheme}, ${screen}`, async () => {
          await reader.page.setViewportSize(WIDTHS.desktop);
          await openSettled(reader, '/app/');
          const pages = await everyPage(reader, of());
          for (const { page } of [reader, stranger]) {
            await page.emulateMedia({ colorScheme: scheme });
            await page.setViewportSize(size);
          }
          const findings: string[] = [];
          for (const { name, path, anonymous = false } of pages) {
            const visitor = anonymous ? stranger : reader;
            const { page } = visitor;
            await openSettled(visitor, path);
            await capture(visitor, `${of() === null ? 'empty' : 'full'}/${scheme}-${screen}/${name}`);
            const found = [...(await violationsOn(page)), ...(await misfitsOn(page))];
            findings.push(...found.map((one) => `${name}: ${one}`));
          }
          expect(findings).toEqual([]);
          expect(stage.chromium.takeProblems()).toEqual([]);
        }, 600_000);
  }

  /** As WebP, which Playwright does not offer. */
  async function capture({ context, page }: Profile, name: string): Promise<void> {
    const file = join(SCREENSHOTS, `${name}.webp`);
    mkdirSync(dirname(file), { recursive: true });
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality: 88,
      captureBeyondViewport: true,
    });
    writeFileSync(file, Buffer.from(data, 'base64'));
    await session.detach();
  }
});

/** So that its page shows results of every kind. */
async function runDoctor(reader: Profile): Promise<void> {
  await reader.open('/app/operator/doctor');
  await reader.button('Run the doctor').click();
  await reader.page.getByRole('progressbar', { name: 'Progress of the doctor' }).waitFor();
  await reader.page.getByRole('progressbar').waitFor({ state: 'hidden', timeout: 60_000 });
}

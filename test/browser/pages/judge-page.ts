import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** While colors change, they have a contrast of their own. */
const STILL = '*, *::before, *::after { transition: none !important; animation: none !important; }';
/** WCAG 2.2, 2.5.8. */
const TARGET_PX = 24;

/** Violations of all rules of axe, or of the named ones. The context of the page must bypass its policy. */
export async function violationsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('Boolean(window.axe)'))) {
    await page.evaluate(AXE);
    await page.addStyleTag({ content: STILL });
  }
  const only = rules === undefined ? '' : `runOnly: ${JSON.stringify(rules)},`;
  return page.evaluate(`axe.run(document, { iframes: false, ${only} resultTypes: ['violations'] }).then((found) =>
    found.violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + ' ' + target.join(' ') + ' ' + failureSummary)))`);
}

/** Controls below 24 px and pages wider than the screen. Links in a sentence and links of whole rows are left out. */
export async function misfitsOn(page: Page): Promise<string[]> {
  const [overflow, small] = await Promise.all([
    page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
    page.evaluate<string[]>(SMALL_TARGETS),
  ]);
  return [...(overflow > 0 ? [`${overflow} px wider than the screen`] : []), ...small];
}

/** The label of a checkbox and the frame of a field belong to their target. */
const SMALL_TARGETS = `(() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
  const coversRow = (one) => getComputedStyle(one, '::after').position === 'absolute';
  const isInSentence = (one) => getComputedStyle(one).display === 'inline' &&
    one.parentElement.textContent.trim().length > one.textContent.trim().length;
  const sizeOf = (one) => {
    const labels = /checkbox|radio/.test(one.type) ? (one.labels ?? []) : [];
    const frame = one.closest('.mantine-Input-wrapper') ?? one;
    const parts = [one, frame, ...labels].map((part) => part.getBoundingClientRect());
    return [Math.max(...parts.map(({ width }) => width)), Math.max(...parts.map(({ height }) => height))];
  };
  return [...document.querySelectorAll('a[href],button,input,select,textarea,[role=tab],[role=menuitem],[role=option]')]
    .filter((one) => shown(one) && !one.disabled && !coversRow(one) && !isInSentence(one))
    .map((one) => [one, sizeOf(one)])
    .filter(([, size]) => Math.min(...size) < ${TARGET_PX} - 0.5)
    .map(([one, [width, height]]) => 'small target ' + Math.round(width) + 'x' + Math.round(height) + ' ' + one.outerHTML.slice(0, 160));
})()`;

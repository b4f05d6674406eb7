import type { Page } from 'playwright-core';

const LIMIT = 250;
/** Visible controls; those with a negative index are reached by the arrow keys of their group. */
const CONTROLS = `[...document.querySelectorAll('a[href],button,input,select,textarea,[tabindex]')].filter((one) =>
  one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0)`;
const MARK = `${CONTROLS}.forEach((one) => one.setAttribute('data-control', ''))`;
/** One radio button of a group takes the focus for all of them. */
const VISIT = `(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return 'end';
  if (one.dataset.visited !== undefined) return 'again';
  one.dataset.visited = '';
  if (one.type === 'radio') for (const other of document.getElementsByName(one.name)) other.dataset.visited = '';
  return 'next';
})()`;
const MISSED = `[...document.querySelectorAll('[data-control]:not([data-visited])')].filter((one) => one.isConnected)
  .map((one) => one.outerHTML.slice(0, 160))`;

/** Presses the tabulator key through the whole page. @returns the controls that never had the focus */
export async function tabThrough(page: Page): Promise<string[]> {
  await page.evaluate('document.activeElement?.blur()');
  await page.evaluate(MARK);
  for (let i = 0; i < LIMIT; i += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(VISIT)) === 'again') break;
  }
  return page.evaluate(MISSED);
}

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import type { Stage } from './stage.js';

const ADDRESS = 'gone@example.net';
/** Elements that have to be scrolled sideways. */
const WIDER_THAN_SHOWN = `[...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > one.clientWidth + 1
  && /auto|scroll/.test(getComputedStyle(one).overflowX)).map((one) => one.className)`;

/** The height of the lowest link or button in a list. */
const LOWEST_TARGET = `Math.min(...[...document.querySelectorAll('main [role=row] :is(a, button)')].map(
  (one) => one.getBoundingClientRect().height))`;

/** Lists: search, import, and their rows on a phone. */
export function listsSuite(stage: () => Stage): void {
  it('finds emails by a part of an address or of the subject, also from the keyboard', async () => {
    const { owner, service } = stage();
    const { page } = owner;
    for (const [to, subject] of [
      ['ada.found@example.com', 'Your invoice'],
      ['grace.found@example.com', 'Hello Ada'],
      ['grace.found@example.com', 'Other'],
    ])
      await service.call('POST', '/emails', service.mail({ to, subject }));
    await page.keyboard.press('Control+k');
    const quick = page.getByRole('combobox', { name: 'Page, id, address or subject' });
    await quick.fill('.found@exam');
    await quick.press('Enter');
    const emails = page.getByRole('table', { name: 'Emails' });
    await emails.getByText('Other').last().waitFor();
    expect(await emails.getByRole('row').count()).toBe(1 + 3);
    const search = page.getByRole('textbox', { name: 'Search' });
    expect(await search.inputValue()).toBe('.found@exam');
    await search.fill('ADA');
    await until(async () => (await emails.getByText('Other').count()) === 0, { what: 'the search' });
    for (const text of ['ada.found@example.com', 'Hello Ada']) await emails.getByText(text).last().waitFor();
    await search.fill('nobody has this');
    await page.getByText('The search finds any part of a subject').waitFor();
    await owner.button('Clear filters').click();
    await emails.getByText('Other').last().waitFor();
  });

  it('leads back to the list from the id of something unknown', async () => {
    const { owner } = stage();
    const id = (prefix: string) => `${prefix}_${'0'.repeat(31)}7`;
    for (const [path, list] of [
      ['emails/xyz', 'Emails'],
      [`emails/${id('cap')}`, 'Emails'],
      [`emails/${id('em')}`, 'Emails'],
      [`captured/${id('em')}`, null],
      [`domains/${id('dom')}`, 'Domains'],
      [`webhooks/${id('wh')}`, 'Webhooks'],
      [`operator/accounts/${id('acc')}`, 'Accounts'],
    ] as const) {
      await owner.open(`/app/${path}`);
      await owner.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      await owner.page
        .getByRole('main')
        .getByRole('link', { name: /^Go to / })
        .click();
      await owner.page.getByRole('heading', { level: 1, name: list ?? /^(Inbox|Captured)/ }).waitFor();
    }
  });

  it('suppresses an address, removes it again, and takes that back', async () => {
    const { owner } = stage();
    await owner.visit('Suppressions');
    await owner.button('Add').click();
    await owner.page.getByRole('textbox', { name: 'Addresses' }).fill(ADDRESS);
    await owner.button(/^Suppress/).click();
    await owner.button(ADDRESS).click();
    await owner.button('Remove').click();
    await owner.page.getByText(`${ADDRESS} is no longer suppressed.`).waitFor();
    await owner.page.getByText('No suppressed addresses').waitFor();
    await owner.button('Undo').click();
    await owner.page.getByText(`${ADDRESS} is suppressed again.`).waitFor();
    await owner.button(ADDRESS).waitFor();
  });

  it('imports a file of suppressions after a preview, and offers the refused lines', async () => {
    const { owner, service } = stage();
    const unknownDomain = `late@example.net,x,dom_${'0'.repeat(31)}1`;
    const lines = Array.from({ length: 2_500 }, (_, i) => `u${i}@import.example,left,`);
    const text = ['Address,Grund,domain_id', ...lines, 'U7@import.example,again,', 'bad,x,', unknownDomain].join('\n');
    await owner.visit('Suppressions');
    await owner.button('Import').click();
    const chooser = owner.page.waitForEvent('filechooser');
    await owner.button('Choose a file').click();
    await (await chooser).setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const dialog = owner.page.getByRole('dialog');
    for (const shown of ['2,501 valid', '1 invalid', '1 duplicate'])
      await dialog.getByText(shown, { exact: true }).waitFor();
    await dialog.getByRole('combobox', { name: 'Grund' }).click();
    await owner.page.getByRole('option', { name: 'Reason' }).click();
    await dialog.getByRole('columnheader', { name: 'Reason' }).waitFor();
    await dialog.getByText('Line 2503: bad').waitFor();
    owner.expected.push(/status of 400/);
    await owner.button('Import 2,501 addresses').click();
    await dialog.getByText('The file has been imported.').waitFor();
    await dialog.getByText('2,500 new').waitFor();
    await dialog.getByText('2 refused').waitFor();
    const download = owner.page.waitForEvent('download');
    await owner.button('Refused lines').click();
    const file = await readFile(await (await download).path(), 'utf8');
    expect(file.split('\r\n').slice(0, 2)).toEqual(['email,line,problem', expect.stringMatching(/^bad,2503,/)]);
    expect(file).toMatch(/late@example\.net,2504,domain_id must be/);
    await owner.button('Done').click();
    const found = await service.call('GET', '/suppressions/u2499@import.example');
    expect(await found.json()).toMatchObject({ reason: 'left', origin: 'manual' });
  });

  it('scrolls no table of a phone sideways', async () => {
    const { owner } = stage();
    await owner.page.setViewportSize({ width: 390, height: 844 });
    for (const [path, table] of [
      ['/app/team', 'Members'],
      ['/app/domains', 'Domains'],
      ['/app/webhooks', 'Webhooks'],
      ['/app/settings', 'Sessions'],
    ]) {
      await owner.open(path);
      await owner.page.getByRole('table', { name: table }).getByRole('cell').first().waitFor();
      const wide: string[] = await owner.page.evaluate(WIDER_THAN_SHOWN);
      expect(wide, path).toEqual([]);
    }
    await owner.page.getByText('Chrome on Linux').first().waitFor();
    await owner.page.getByText('this session').waitFor();
    await owner.open('/app/audit-log');
    await owner.page.getByRole('table', { name: 'Actions' }).locator('time').first().waitFor();
    for (const [path, table] of [
      ['/app/emails', 'Emails'],
      ['/app/events', 'Events'],
      ['/app/logs', 'Requests'],
      ['/app/suppressions', 'Suppressions'],
    ]) {
      await owner.open(path);
      await owner.page.getByRole('table', { name: table }).locator('time:visible').first().waitFor();
      expect(await owner.page.evaluate(LOWEST_TARGET), path).toBeGreaterThanOrEqual(24);
    }
    await owner.page.setViewportSize({ width: 1280, height: 720 });
  });
}

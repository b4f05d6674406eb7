import { beforeAll, expect, it } from 'vitest';
import type { Locator } from 'playwright-core';
import type { Profile } from '../../support/browser/chromium.js';
import { until } from '../../support/timing/until.js';
import type { Stage } from './stage.js';

const LEFT = 'left.by.keyboard@example.com';
const BUSY = 'busy.example';
const BUSY_REPLY = '554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using bl.keyboard.example';
/** Presses of the tabulator key on one page at most. */
const LIMIT = 120;

/** The main tasks without a mouse. */
export function keyboardSuite(stage: () => Stage): void {
  let person: Profile;
  beforeAll(async () => {
    person = await stage().stranger();
    await person.page.goto(await stage().loginLink());
    await person.heading().waitFor();
  });

  const press = (key: string) => person.page.keyboard.press(key);
  const isFocused = async (one: Locator) => (await one.and(person.page.locator(':focus')).count()) === 1;

  /** Moves the focus by the tabulator key, and sees it at the end. */
  async function tabTo(one: Locator): Promise<void> {
    await one.waitFor();
    for (let i = 0; i < LIMIT && !(await isFocused(one)); i += 1) await press('Tab');
    expect(await isFocused(one), `the focus on ${String(one)}`).toBe(true);
    expect(await one.and(person.page.locator(':focus-visible')).count(), String(one)).toBe(1);
  }

  /** Opens a page through the skip link, whose next stop is the first control of its content. */
  async function openContent(path: string): Promise<void> {
    await person.open(path);
    await press('Tab');
    expect(await isFocused(person.link('Skip to content'))).toBe(true);
    await press('Enter');
    await until(() => isFocused(person.page.locator('#content')), { what: 'the focus on the content' });
  }

  it('sends an email from the page for the first one', async () => {
    await openContent('/app/getting-started');
    const to = person.page.getByRole('textbox', { name: 'To' });
    await tabTo(to);
    await press('Control+a');
    await person.page.keyboard.type('keyboard@example.com');
    await press('Enter');
    await person.page.getByRole('status', { name: 'Progress of the email' }).waitFor();
    await tabTo(person.link('View this email'));
    await press('Enter');
    await person.page.getByRole('heading', { level: 1, name: 'Your first email' }).waitFor();
  });

  it('filters the list of emails and opens one', async () => {
    await openContent('/app/emails');
    const status = person.page.getByRole('combobox', { name: 'Status' });
    await tabTo(status);
    await press('ArrowDown');
    await person.page.getByRole('option', { name: 'delivered' }).waitFor();
    const chosen = () => status.getAttribute('aria-activedescendant');
    const delivered = await person.page.getByRole('option', { name: 'delivered' }).getAttribute('id');
    for (let i = 0; i < 20 && (await chosen()) !== delivered; i += 1) await press('ArrowDown');
    await press('Enter');
    await person.page.waitForURL(/status=delivered/);
    // Rows of the list without the filter would lose the focus.
    await person.page.waitForLoadState('networkidle');
    await tabTo(person.link('keyboard@example.com'));
    await press('Enter');
    await person.page.getByRole('heading', { level: 1, name: 'Your first email' }).waitFor();
  });

  it('removes a suppression, takes that back, and keeps the focus in dialogs', async () => {
    await stage().service.call('POST', '/suppressions', { email: LEFT });
    await openContent('/app/suppressions');
    await tabTo(person.button(LEFT));
    await press('Enter');
    const dialog = person.page.getByRole('dialog', { name: LEFT });
    await dialog.waitFor();
    // The dialog has two buttons; the focus stays among them.
    for (let i = 0; i < 6; i += 1) {
      await press('Tab');
      expect(await dialog.locator(':focus').count()).toBe(1);
    }
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(() => isFocused(person.button(LEFT)), { what: 'the focus back on the row' });
    await press('Enter');
    await tabTo(dialog.getByRole('button', { name: 'Remove' }));
    await press('Enter');
    // The row, which had the focus, is gone.
    await until(() => isFocused(person.button('Undo')), { what: 'the focus on the way back' });
    await press('Enter');
    await person.page.getByText(`${LEFT} is suppressed again.`).waitFor();
    await person.button(LEFT).waitFor();
  });

  it('walks through a menu by the arrow keys', async () => {
    await person.open('/app/api-keys');
    const menu = person.button(/^Actions for/).first();
    await tabTo(menu);
    await press('Enter');
    const items = person.page.getByRole('menuitem');
    // A task after the menu is shown; until then keys go to the button.
    await until(() => isFocused(items.first()), { what: 'the focus on the first item' });
    await press('ArrowDown');
    await until(() => isFocused(items.nth(1)), { what: 'the focus on the second item' });
    await press('Escape');
    await items.first().waitFor({ state: 'detached' });
    await until(() => isFocused(menu), { what: 'the focus back on the button' });
  });

  it('changes a webhook', async () => {
    const { service } = stage();
    const made = await service.call('POST', '/webhooks', { url: `${service.url}/healthz`, events: ['*'] });
    const { id } = (await made.json()) as { id: string };
    await openContent(`/app/webhooks/${id}`);
    const bots = person.page.getByRole('switch', { name: 'Include opens and clicks by bots' });
    await tabTo(bots);
    await press('Space');
    await person.page.getByText('Saved.').first().waitFor();
    const webhook = (await (await service.call('GET', `/webhooks/${id}`)).json()) as Record<string, unknown>;
    expect(webhook).toMatchObject({ include_bots: true });
    expect(await isFocused(bots)).toBe(true);
    await service.call('DELETE', `/webhooks/${id}`);
  });

  it('resumes a queue after a question', async () => {
    const { network, service } = stage();
    await network.mailServer(BUSY, { on: { rcpt: ({ count }) => (count === 1 ? BUSY_REPLY : undefined) } });
    await service.send({ to: `first@${BUSY}` });
    await until(async () => service.output().includes('delivery_blocked begins'), { what: 'the throttle' });
    await openContent('/app/operator/queues');
    const resume = person.button(`Resume ${BUSY}`);
    await tabTo(resume);
    await press('Enter');
    const question = person.page.getByRole('dialog', { name: `Resume ${BUSY}?` });
    await tabTo(question.getByRole('button', { name: 'Resume' }));
    await press('Enter');
    await question.waitFor({ state: 'detached' });
    await resume.waitFor({ state: 'detached' });
  });
}

import type { Profile } from '../../support/browser/chromium.js';

/** Something that a page shows only after a click. */
export interface Opened {
  name: string;
  path: string;
  open: (profile: Profile) => Promise<void>;
}

const byButton =
  (name: string | RegExp, role: 'dialog' | 'menu' = 'dialog') =>
  async (profile: Profile): Promise<void> => {
    await profile.button(name).first().click();
    await profile.page.getByRole(role).waitFor();
  };

const choices =
  (label: string) =>
  async ({ page }: Profile): Promise<void> => {
    await page.getByRole('combobox', { name: label }).first().click();
    await page.getByRole('option').first().waitFor();
  };

/** Dialogs, menus and lists of choices of an account in use. */
export const OPENED: Opened[] = [
  { name: 'menu of the user', path: '/app/', open: byButton(/^Signed in as/, 'menu') },
  {
    name: 'quick search',
    path: '/app/',
    open: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Page, id, address or subject' }).fill('em');
      await page.getByRole('option').first().waitFor();
    },
  },
  { name: 'statuses', path: '/app/emails', open: choices('Status') },
  {
    name: 'further filters',
    path: '/app/emails',
    open: async (profile) => {
      await profile.button(/^Filters/).click();
      await profile.page.getByLabel('Sending domain').first().waitFor();
    },
  },
  { name: 'entry of events', path: '/app/events', open: firstRow },
  { name: 'entry of the request log', path: '/app/logs', open: firstRow },
  { name: 'new suppression', path: '/app/suppressions', open: byButton('Add') },
  { name: 'import of suppressions', path: '/app/suppressions', open: byButton('Import') },
  { name: 'new domain', path: '/app/domains', open: byButton('Add domain') },
  { name: 'new key', path: '/app/api-keys', open: byButton('Create API key') },
  { name: 'menu of a key', path: '/app/api-keys', open: byButton(/^Actions for/, 'menu') },
  { name: 'new webhook', path: '/app/webhooks', open: byButton('Add webhook') },
  { name: 'invitation', path: '/app/team', open: byButton('Invite') },
  { name: 'new account', path: '/app/operator/accounts', open: byButton('Create account') },
];

async function firstRow({ page }: Profile): Promise<void> {
  await page.getByRole('row').nth(1).getByRole('button').first().click();
  await page.getByRole('dialog').waitFor();
}

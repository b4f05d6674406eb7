import { expect, it } from 'vitest';
import type { Profile } from '../../support/browser/chromium.js';
import type { Stage } from './stage.js';

/** Refused values, and the question before what cannot be undone. */
export function refusalsSuite(stage: () => Stage): void {
  it('says a refusal once, below the field, with its label, and keeps the text', async () => {
    const { owner } = stage();
    const { page } = owner;
    await owner.visit('Domains');
    await owner.button('Add domain').first().click();
    const name = page.getByRole('textbox', { name: 'Domain' });
    await owner.button('Add').click();
    await page.getByText('Domain is required.', { exact: true }).waitFor();
    await name.fill('not a domain');
    await owner.button('Add').click();
    const reason = page.getByText(/^Domain must be a domain name such as /);
    await reason.waitFor();
    expect(await name.inputValue()).toBe('not a domain');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await occurrences(page, 'a domain name such as')).toBe(1);
    expect(await page.locator('.mantine-Notification-root').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('takes the scheme off a pattern of links, and keeps a refused pattern', async () => {
    const { owner, service } = stage();
    await owner.visit('Domains');
    await owner.link(service.domain).click();
    const links = owner.page.getByRole('combobox', { name: 'Links that are never rewritten' });
    await links.fill('https://login.example.com/reset/*');
    await links.press('Enter');
    await owner.page.getByText('login.example.com/reset/*', { exact: true }).waitFor();
    await links.fill('löschen.example.com');
    await links.press('Enter');
    await owner.page.getByText(/^“löschen.example.com” must /).waitFor();
    expect(await links.inputValue()).toBe('löschen.example.com');
    expect(await owner.page.locator('main').innerText()).not.toContain('trackingExclude');
  });

  it('says one sentence about a wrong password', async () => {
    const stranger = await stage().stranger();
    stranger.expected.push(/401 \(Unauthorized\)/);
    await stranger.open('/app/login');
    await stranger.page.getByRole('textbox', { name: 'Email' }).fill('nobody');
    await stranger.page.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await stranger.button('Sign in').click();
    await stranger.page.getByText('Email must be an address such as ada@example.com.').waitFor();
    await stranger.page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com');
    await stranger.button('Sign in').click();
    const alert = stranger.page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toBe('The email address or the password is wrong.');
  });
}

const occurrences = async (page: Profile['page'], text: string): Promise<number> =>
  (await page.locator('body').innerText()).split(text).length - 1;

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
    const links = owner.page.getByLabel('Links that are never rewritten').first();
    await links.fill('https://login.example.com/reset/*');
    await links.press('Enter');
    await owner.page.getByText('login.example.com/reset/*', { exact: true }).waitFor();
    await links.fill('löschen.example.com');
    await links.press('Enter');
    await owner.page.getByText(/^Links that are never rewritten must have patterns such as /).waitFor();
    expect(await links.inputValue()).toBe('löschen.example.com');
    expect(await owner.page.locator('main').innerText()).not.toContain('trackingExclude');
  });

  it('shows at a switch that saves at once why it could not be saved', async () => {
    const { owner, service } = stage();
    const { id } = (await (await service.call('POST', '/domains', { name: 'gone.example.net' })).json()) as {
      id: string;
    };
    await owner.open(`/app/domains/${id}`);
    const opens = owner.page.getByRole('switch', { name: 'Track opens' });
    await opens.waitFor();
    await service.call('DELETE', `/domains/${id}`);
    await opens.click();
    await owner.page.locator('.mantine-Switch-error').waitFor();
    expect(await owner.page.locator('.mantine-Switch-error').innerText()).toBe('There is nothing at this address.');
    expect(await opens.isChecked()).toBe(false);
    expect(await owner.page.locator('.mantine-Notification-root').count()).toBe(0);
  });

  it('deletes a domain only by its name, and counts the keys that are limited to it', async () => {
    const { owner, service } = stage();
    const name = 'left.example.net';
    const { id } = (await (await service.call('POST', '/domains', { name })).json()) as { id: string };
    await service.call('POST', '/api-keys', { name: 'Left alone', permission: 'sending_access', domain_ids: [id] });
    await owner.open(`/app/domains/${id}`);
    await owner.button('Delete').click();
    const dialog = owner.page.getByRole('dialog');
    await dialog.getByText('Its DKIM key is deleted.').waitFor();
    await dialog.getByText('1 API key is limited to this domain alone.').waitFor();
    const remove = dialog.getByRole('button', { name: 'Delete domain' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(name);
    await remove.click();
    await owner.page.getByText(`${name} has been deleted.`).waitFor();
    await owner.page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  });

  it('keeps a scheduled email unless its cancellation is confirmed', async () => {
    const { owner, service } = stage();
    const scheduled = new Date(Date.now() + 40 * 3_600_000).toISOString();
    const mail = { ...service.mail({ to: 'kept@example.com', subject: 'Kept' }), scheduled_at: scheduled };
    const { id } = (await (await service.call('POST', '/emails', mail)).json()) as { id: string };
    await owner.open(`/app/emails/${id}`);
    await owner.button('Cancel').click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
    await owner.button('Cancel').click();
    await owner.button('Cancel email').click();
    await owner.page.getByText('The email has been canceled.').waitFor();
  });

  it('offers the only owner nothing that can only be refused', async () => {
    const { owner } = stage();
    await owner.visit('Team');
    await owner.page.getByRole('table', { name: 'Members' }).getByText('Owner').waitFor();
    expect(await owner.button(/^Remove /).count()).toBe(0);
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

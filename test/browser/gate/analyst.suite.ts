import { expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import type { Profile } from '../../support/browser/chromium.js';
import type { Stage } from './stage.js';

const EMAIL = 'figures@example.com';
const PASSWORD = 'correct horse battery';
const SECRET = 'Your code is 4711';

/** A role for figures and states. */
export function analystSuite(stage: () => Stage): void {
  it('shows an analyst what became of emails, and nothing of their content', async () => {
    const { owner, service } = stage();
    const mail = { ...service.mail({ to: 'ada@example.com', subject: SECRET }), text: SECRET };
    const { id } = (await (await service.call('POST', '/emails', mail)).json()) as { id: string };
    const analyst = await join(stage());
    const pages = await analyst.pages();
    expect(pages.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['Overview', 'Emails', 'Statistics', 'Suppressions', 'Domains']),
    );
    for (const hidden of ['Captured', 'Events', 'Webhooks', 'API keys'])
      expect(pages.map(({ label }) => label)).not.toContain(hidden);
    for (const { label, path } of pages) {
      await analyst.open(path);
      expect(await analyst.page.locator('main').innerText(), label).not.toContain('4711');
    }
    await analyst.open(`/app/emails/${id}`);
    await analyst.page.getByText('Your role shows what became of this email').waitFor();
    await analyst.page.getByRole('group', { name: 'Recipients' }).getByText('ada@example.com').waitFor();
    expect(await analyst.page.locator('body').innerText()).not.toContain('4711');
    await analyst.open('/app/captured');
    expect(await analyst.heading().innerText()).toBe('Not permitted');
    expect((await analyst.page.request.get(`/app/message/${id}`)).status()).toBe(403);
    await owner.open(`/app/emails/${id}`);
    expect(await owner.heading().innerText()).toBe(SECRET);
  });
}

/** Invites an analyst, who accepts with the link of the email. */
async function join(stage: Stage): Promise<Profile> {
  const { owner, mx } = stage;
  await owner.visit('Team');
  await owner.button('Invite').click();
  await owner.page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
  await owner.page.getByRole('combobox', { name: 'Role' }).click();
  await owner.page.getByRole('option', { name: 'Analyst' }).click();
  await owner.button('Send invitation').click();
  const letter = await until(async () => mx.accepted.find(({ recipients }) => recipients.includes(EMAIL)), {
    what: 'the invitation',
  });
  const text = letter.content.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const analyst = await stage.stranger();
  await analyst.open(/http\S+invitation\?token=[\w-]+/.exec(text)?.[0] ?? '');
  await analyst.page.getByRole('textbox', { name: 'Password' }).fill('short');
  await analyst.button('Accept invitation').click();
  await analyst.page.getByText('Password must have at least 12 characters.').waitFor();
  await analyst.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await analyst.button('Accept invitation').click();
  await analyst.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return analyst;
}

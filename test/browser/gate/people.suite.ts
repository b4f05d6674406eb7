import { expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import type { Profile } from '../../support/browser/chromium.js';
import type { Stage } from './stage.js';

const EMAIL = 'second.tenant@example.com';
const TENANT = 'Second tenant';
const PASSWORD = 'correct horse battery';

/** Several people in browsers of their own. */
export function peopleSuite(stage: () => Stage): void {
  it('shows two tenants nothing of each other', async () => {
    const { owner, service } = stage();
    const tenant = await signUp(stage());
    const secret = 'Only for the first tenant';
    await tenant.visit('Events');
    await tenant.page.getByText('No events yet').waitFor();
    const sent = await service.call('POST', '/emails', service.mail({ to: 'one@example.com', subject: secret }));
    const { id } = (await sent.json()) as { id: string };
    await owner.visit('Emails');
    await owner.link('one@example.com').click();
    await owner.page.getByRole('heading', { level: 1, name: secret }).waitFor();
    await until(async () => (await owner.page.getByText('email.delivered').count()) > 0, { what: 'the delivery' });
    // The stream of the other tenant was open all the time.
    await tenant.page.getByText('No events yet').waitFor();
    for (const { label, path } of await tenant.pages()) {
      await tenant.open(path);
      const text = await tenant.page.locator('main').innerText();
      expect(text, label).not.toContain(secret);
      expect(text, label).not.toContain('one@example.com');
      expect(text, label).not.toContain(service.domain);
    }
    await tenant.open(`/app/emails/${id}`);
    expect(await tenant.heading().innerText()).toBe('Not found');
    expect((await tenant.page.request.get(`/app/message/${id}`)).status()).toBe(404);

    await tenant.visit('Domains');
    await tenant.button('Add domain').first().click();
    await tenant.page.getByRole('textbox', { name: 'Domain' }).fill('second.example.net');
    await tenant.button('Add').click();
    await tenant.page.getByRole('heading', { level: 1, name: 'second.example.net' }).waitFor();
    const address = new URL(tenant.page.url()).pathname;
    await owner.open(address);
    expect(await owner.heading().innerText()).toBe('Not found');
    await owner.visit('Domains');
    await owner.link(service.domain).waitFor();
    expect(await owner.page.locator('main').innerText()).not.toContain('second.example.net');
  });

  it('moves an account to the penalty pool and back', async () => {
    const { owner } = stage();
    const asked = async (button: string) => {
      await owner.button(button).click();
      await owner.page.getByRole('dialog').getByRole('button', { name: button }).click();
      await owner.page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    const notice = owner.page.getByRole('alert').filter({ hasText: 'Emails leave from the penalty pool' });
    await owner.visit('Accounts');
    await owner.link(TENANT).click();
    await owner.page.getByText('usual addresses, decided by the limits').waitFor();
    await asked('Move to penalty pool');
    await notice.getByText('The operator moved the account.').waitFor();
    await owner.page.reload();
    await owner.page.getByText('penalty pool, decided by the operator').waitFor();
    expect(await owner.button('Move to penalty pool').count()).toBe(0);
    await asked('Move to usual addresses');
    await notice.waitFor({ state: 'detached' });
    await owner.page.reload();
    await owner.page.getByText('usual addresses, decided by the operator').waitFor();
    await owner.button('Move to penalty pool').waitFor();
  });

  it('ends in one browser when its session is revoked in another', async () => {
    const { owner } = stage();
    const other = await stage().stranger();
    // A request in flight is refused before the page knows that the session has ended.
    other.expected.push(/status of 401/);
    await other.page.goto(await stage().loginLink());
    await other.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await owner.visit('Settings');
    await owner
      .button(/^End the session of Chrome on Linux/)
      .first()
      .click();
    await owner.page.getByText('The session has ended.').waitFor();
    await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect((await other.page.request.get('/domains')).status()).toBe(401);
  });
}

/** Signs up as the pages say: an address, the link in the message, and a name and a password. */
async function signUp(stage: Stage): Promise<Profile> {
  const { mx } = stage;
  const tenant = await stage.stranger();
  await tenant.open('/app/login');
  await tenant.link('Sign up').click();
  await tenant.page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
  await tenant.button('Continue').click();
  await tenant.page.getByText(`A link is on its way to ${EMAIL}.`).waitFor();
  const letter = await until(async () => mx.accepted.find(({ recipients }) => recipients.includes(EMAIL)), {
    what: 'the message',
  });
  const text = letter.content.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const link = /http\S+sign-up\?token=[\w-]+/.exec(text)?.[0] ?? '';
  await tenant.open(link);
  await tenant.page.getByRole('textbox', { name: 'Account name' }).fill(TENANT);
  await tenant.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await tenant.button('Create account').click();
  await tenant.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return tenant;
}

import { describe, expect } from 'vitest';
import { PASSWORD } from '../../support/browser/dashboard-fixture.js';
import { until } from '../../support/timing/until.js';
import { dashboardTest } from '../../support/browser/dashboard-tests.js';

const NEW_PASSWORD = 'another good password';

describe('a person is informed at the known address', () => {
  const it = dashboardTest

    /** The newest message to this address with this subject. */
    .extend(
      'message',
      ({ dashboard }) =>
        async function message(email: string, subject: string): Promise<string> {
          let found: string | undefined;
          await until(
            async () =>
              (found = (await dashboard.sentTo(email)).find((text) => text.includes(`Subject: ${subject}`))) !==
              undefined,
            { withinMs: 5_000 },
          );
          return found ?? '';
        },
    );

  it('of a new address, which the old one does not confirm', async ({ dashboard, message }) => {
    const { email, browser } = await dashboard.member(await dashboard.account(), 'owner');
    const next = `new-${email}`;
    await browser.post('/app/api/email', { email: next, current_password: PASSWORD });
    const token = await dashboard.tokenSentTo(next);
    expect((await dashboard.browser().post('/app/api/email/confirm', { token })).status).toBe(204);
    const text = await message(email, 'Your email address was changed');
    expect(text).toContain(next);
    expect(text).not.toContain('token=');
  });

  it('of a new password, set by a link', async ({ dashboard, message }) => {
    const { email } = await dashboard.person(await dashboard.account());
    await dashboard.browser().post('/app/api/password-reset', { email });
    const token = await dashboard.tokenSentTo(email);
    const browser = dashboard.browser();
    await browser.post('/app/api/password-reset/confirm', { token, password: NEW_PASSWORD });
    expect(await message(email, 'Your password was changed')).toContain(browser.address);
  });

  it('of a new password, set in the settings', async ({ dashboard, message }) => {
    const { email, browser } = await dashboard.member(await dashboard.account(), 'viewer');
    await browser.post('/app/api/password', { current_password: PASSWORD, password: NEW_PASSWORD });
    await message(email, 'Your password was changed');
  });

  it('of the removal from an account, which is named without links', async ({ dashboard, message }) => {
    const accountId = await dashboard.account('Shop evil.example');
    const { browser: owner } = await dashboard.member(accountId, 'owner');
    const { id, email } = await dashboard.member(accountId, 'viewer');
    await owner.delete(`/app/api/members/${id}`);
    const text = await message(email, 'You were removed from an account');
    expect(text).toContain('Account: Shop evil example');
  });
});

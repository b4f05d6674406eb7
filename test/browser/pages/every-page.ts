import { until } from '../../support/timing/until.js';
import type { Profile } from '../../support/browser/chromium.js';
import type { Filled } from './fill-account.js';

export interface PageToOpen {
  name: string;
  path: string;
  /** Shown to people who are not logged in. */
  anonymous?: boolean;
}

const WITHOUT_SESSION: PageToOpen[] = ['login', 'reset', 'sign-up'].map((name) => ({
  name,
  path: `/app/${name}`,
  anonymous: true,
}));

/** The pages of the navigation, those of single entries, and those without a session. */
export async function everyPage(profile: Profile, filled: Filled | null): Promise<PageToOpen[]> {
  const pages = (await profile.pages()).map(({ label, path }) => ({
    name: label.toLowerCase().replaceAll(' ', '-'),
    path,
  }));
  if (filled === null) return [...pages, ...WITHOUT_SESSION];
  const { accountId, emailId, domainId, webhookId } = filled;
  return [
    ...pages,
    { name: 'email', path: `/app/emails/${emailId}` },
    { name: 'domain', path: `/app/domains/${domainId}` },
    { name: 'webhook', path: `/app/webhooks/${webhookId}` },
    { name: 'account', path: `/app/operator/accounts/${accountId}` },
    { name: 'not-found', path: '/app/nowhere' },
  ];
}

/** Opens a page and waits until it has loaded its content and shows no sign of loading any more. */
export async function openSettled(profile: Profile, path: string): Promise<void> {
  await profile.open(path);
  const loading = profile.page.getByRole('status', { name: 'Loading' });
  await until(async () => (await loading.count()) === 0, { what: `the content of ${path}` });
  await profile.page.waitForTimeout(250);
}

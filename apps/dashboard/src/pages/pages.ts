import type { ComponentType } from 'react';
import { matchPath } from 'react-router';

const IDS = {
  em: /^em_[0-9a-f]{32}$/,
  dom: /^dom_[0-9a-f]{32}$/,
  wh: /^wh_[0-9a-f]{32}$/,
  acc: /^acc_[0-9a-f]{32}$/,
};

export interface PageRoute {
  /** Below /app. */
  path: string;
  /** The ids of its entries, for a page of one entry. */
  ids: RegExp | null;
  /** Loads the code of the page once; rejects if that fails, until the application is loaded again. */
  load: () => Promise<ComponentType>;
  /** The page, once its code has been loaded. */
  loaded: () => ComponentType | null;
}

/** `prefix`: that of the ids of a page of one entry. */
function page(path: string, fetchCode: () => Promise<ComponentType>, prefix?: keyof typeof IDS): PageRoute {
  let loading: Promise<ComponentType> | null = null;
  let loaded: ComponentType | null = null;
  const loadPage = async () => (loaded = await fetchCode());
  const ids = prefix === undefined ? null : IDS[prefix];
  return { path, ids, load: () => (loading ??= loadPage()), loaded: () => loaded };
}

/** The pages with a session that are loaded when they are opened first: all but the overview. */
export const PAGES: PageRoute[] = [
  page('/getting-started', async () => (await import('./getting-started/getting-started-page.tsx')).GettingStartedPage),
  page('/emails', async () => (await import('./emails/emails-page.tsx')).EmailsPage),
  page('/emails/:id', async () => (await import('./emails/email-page.tsx')).EmailPage, 'em'),
  page('/captured', async () => (await import('./captured/captured-list-page.tsx')).CapturedListPage),
  page('/captured/:id', async () => (await import('./captured/captured-page.tsx')).CapturedPage, 'em'),
  page('/events', async () => (await import('./events/events-page.tsx')).EventsPage),
  page('/statistics', async () => (await import('./statistics/statistics-page.tsx')).StatisticsPage),
  page('/suppressions', async () => (await import('./suppressions/suppressions-page.tsx')).SuppressionsPage),
  page('/domains', async () => (await import('./domains/domains-page.tsx')).DomainsPage),
  page('/domains/:id', async () => (await import('./domains/domain-page.tsx')).DomainPage, 'dom'),
  page('/api-keys', async () => (await import('./api-keys/api-keys-page.tsx')).ApiKeysPage),
  page('/webhooks', async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage),
  page('/webhooks/:id', async () => (await import('./webhooks/webhook-page.tsx')).WebhookPage, 'wh'),
  page('/usage', async () => (await import('./usage/usage-page.tsx')).UsagePage),
  page('/logs', async () => (await import('./logs/logs-page.tsx')).LogsPage),
  page('/team', async () => (await import('./team/team-page.tsx')).TeamPage),
  page('/audit-log', async () => (await import('./audit-log/audit-log-page.tsx')).AuditLogPage),
  page('/operator', async () => (await import('./operator/health-page.tsx')).OperatorHealthPage),
  page('/operator/accounts', async () => (await import('./operator/accounts-page.tsx')).OperatorAccountsPage),
  page('/operator/accounts/:id', async () => (await import('./operator/account-page.tsx')).OperatorAccountPage, 'acc'),
  page('/operator/queues', async () => (await import('./operator/queues-page.tsx')).OperatorQueuesPage),
  page('/operator/event-log', async () => (await import('./operator/event-log-page.tsx')).OperatorEventLogPage),
  page('/operator/doctor', async () => (await import('./operator/doctor-page.tsx')).OperatorDoctorPage),
  page('/settings', async () => (await import('./settings/settings-page.tsx')).SettingsPage),
];

/** Loads the code of the page at this path (below /app). A failure is shown when the page is rendered. */
export async function preloadPage(pathname: string): Promise<void> {
  const route = PAGES.find(({ path }) => matchPath(path, pathname));
  await route?.load().catch(() => undefined);
}

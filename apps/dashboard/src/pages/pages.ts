import type { ComponentType } from 'react';
import { matchPath } from 'react-router';

export interface PageRoute {
  /** Below /app. */
  path: string;
  /** Loads the code of the page once; rejects if that fails, until the application is loaded again. */
  load: () => Promise<ComponentType>;
  /** The page, once its code has been loaded. */
  loaded: () => ComponentType | null;
}

function page<M>(path: string, load: () => Promise<M>, pick: (module: M) => ComponentType): PageRoute {
  let loading: Promise<ComponentType> | null = null;
  let loaded: ComponentType | null = null;
  const loadPage = async () => (loaded = pick(await load()));
  return { path, load: () => (loading ??= loadPage()), loaded: () => loaded };
}

/** The pages with a session that are loaded when they are opened first: all but the overview. */
export const PAGES: PageRoute[] = [
  page(
    '/getting-started',
    () => import('./getting-started/getting-started-page.tsx'),
    (module) => module.GettingStartedPage,
  ),
  page(
    '/emails',
    () => import('./emails/emails-page.tsx'),
    (module) => module.EmailsPage,
  ),
  page(
    '/emails/:id',
    () => import('./emails/email-page.tsx'),
    (module) => module.EmailPage,
  ),
  page(
    '/inbox',
    () => import('./inbox/inbox-page.tsx'),
    (module) => module.InboxPage,
  ),
  page(
    '/inbox/:id',
    () => import('./inbox/captured-page.tsx'),
    (module) => module.CapturedPage,
  ),
  page(
    '/events',
    () => import('./events/events-page.tsx'),
    (module) => module.EventsPage,
  ),
  page(
    '/statistics',
    () => import('./statistics/statistics-page.tsx'),
    (module) => module.StatisticsPage,
  ),
  page(
    '/suppressions',
    () => import('./suppressions/suppressions-page.tsx'),
    (module) => module.SuppressionsPage,
  ),
  page(
    '/domains',
    () => import('./domains/domains-page.tsx'),
    (module) => module.DomainsPage,
  ),
  page(
    '/domains/:id',
    () => import('./domains/domain-page.tsx'),
    (module) => module.DomainPage,
  ),
  page(
    '/api-keys',
    () => import('./api-keys/api-keys-page.tsx'),
    (module) => module.ApiKeysPage,
  ),
  page(
    '/webhooks',
    () => import('./webhooks/webhooks-page.tsx'),
    (module) => module.WebhooksPage,
  ),
  page(
    '/webhooks/:id',
    () => import('./webhooks/webhook-page.tsx'),
    (module) => module.WebhookPage,
  ),
  page(
    '/usage',
    () => import('./usage/usage-page.tsx'),
    (module) => module.UsagePage,
  ),
  page(
    '/logs',
    () => import('./logs/logs-page.tsx'),
    (module) => module.LogsPage,
  ),
  page(
    '/team',
    () => import('./team/team-page.tsx'),
    (module) => module.TeamPage,
  ),
  page(
    '/audit-log',
    () => import('./audit-log/audit-log-page.tsx'),
    (module) => module.AuditLogPage,
  ),
  page(
    '/operator',
    () => import('./operator/health-page.tsx'),
    (module) => module.OperatorHealthPage,
  ),
  page(
    '/operator/accounts',
    () => import('./operator/accounts-page.tsx'),
    (module) => module.OperatorAccountsPage,
  ),
  page(
    '/operator/accounts/:id',
    () => import('./operator/account-page.tsx'),
    (module) => module.OperatorAccountPage,
  ),
  page(
    '/operator/queues',
    () => import('./operator/queues-page.tsx'),
    (module) => module.OperatorQueuesPage,
  ),
  page(
    '/operator/event-log',
    () => import('./operator/event-log-page.tsx'),
    (module) => module.OperatorEventLogPage,
  ),
  page(
    '/operator/doctor',
    () => import('./operator/doctor-page.tsx'),
    (module) => module.OperatorDoctorPage,
  ),
  page(
    '/settings',
    () => import('./settings/settings-page.tsx'),
    (module) => module.SettingsPage,
  ),
];

/** Loads the code of the page at this path (below /app). A failure is shown when the page is rendered. */
export async function preloadPage(pathname: string): Promise<void> {
  const route = PAGES.find(({ path }) => matchPath(path, pathname));
  await route?.load().catch(() => undefined);
}

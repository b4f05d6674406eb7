import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { matchPath } from 'react-router';

interface PageRoute {
  /** Below /app. */
  path: string;
  page: LazyExoticComponent<ComponentType>;
  /** Loads the code of the page ahead of its first rendering. */
  preload: () => Promise<unknown>;
}

interface PageModule {
  default: ComponentType;
}

function page<M>(path: string, load: () => Promise<M>, pick: (module: M) => ComponentType): PageRoute {
  let loaded: PageModule | null = null;
  const preload = async () => (loaded = { default: pick(await load()) });
  return { path, page: lazy(() => (loaded === null ? preload() : resolved(loaded))), preload };
}

/** Resolves at once: React shows a fallback, even that of one microtask, for 300 ms. */
const resolved = (module: PageModule) =>
  ({ then: (use: (module: PageModule) => void) => use(module) }) as Promise<PageModule>;

/** All pages with a session; each is loaded when it is opened first. */
export const PAGES: PageRoute[] = [
  page(
    '/',
    () => import('./overview/overview-page.tsx'),
    (module) => module.OverviewPage,
  ),
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
  await route?.preload().catch(() => undefined);
}

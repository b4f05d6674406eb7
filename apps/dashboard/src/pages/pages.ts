import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

interface PageRoute {
  /** Below /app. */
  path: string;
  page: LazyExoticComponent<ComponentType>;
}

function page<M>(path: string, load: () => Promise<M>, pick: (module: M) => ComponentType): PageRoute {
  return { path, page: lazy(async () => ({ default: pick(await load()) })) };
}

/** All pages with a session; each is loaded when it is opened first. */
export const PAGES: PageRoute[] = [
  page(
    '/',
    () => import('./overview/overview-page.tsx'),
    (module) => module.OverviewPage,
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
    '/team',
    () => import('./team/team-page.tsx'),
    (module) => module.TeamPage,
  ),
  page(
    '/settings',
    () => import('./settings/settings-page.tsx'),
    (module) => module.SettingsPage,
  ),
];

import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

interface PageRoute {
  /** Below /app. */
  path: string;
  page: LazyExoticComponent<ComponentType>;
}

/** All pages with a session; each is loaded when it is opened first. */
export const PAGES: PageRoute[] = [
  { path: '/team', page: lazy(async () => ({ default: (await import('./team/team-page.tsx')).TeamPage })) },
  {
    path: '/settings',
    page: lazy(async () => ({ default: (await import('./settings/settings-page.tsx')).SettingsPage })),
  },
];

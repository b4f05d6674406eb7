import {
  IconActivity,
  IconAt,
  IconBuilding,
  IconChartBar,
  IconForbid,
  IconGauge,
  IconHeartbeat,
  IconHistory,
  IconInbox,
  IconKey,
  IconListDetails,
  IconMail,
  IconRocket,
  IconRoute,
  IconSettings,
  IconStack2,
  IconStethoscope,
  IconUsers,
  IconWebhook,
  IconWorld,
  type Icon,
} from '@tabler/icons-react';

export interface NavigationItem {
  label: string;
  path: string;
  icon: Icon;
  /** Shown to people with this scope or ability. */
  needs?: string;
  /** Active on this path only, not on those below it. */
  exact?: boolean;
}

interface NavigationGroup {
  title: string | null;
  /** Shown to people with this scope or ability. */
  needs?: string;
  items: NavigationItem[];
}

/** The pages in the order of the navigation, by group. */
export const NAVIGATION: NavigationGroup[] = [
  {
    title: null,
    items: [
      { label: 'Overview', path: '/', icon: IconGauge, exact: true },
      { label: 'Getting started', path: '/getting-started', icon: IconRocket, needs: 'api_keys.read' },
    ],
  },
  {
    title: 'Sending',
    items: [
      { label: 'Emails', path: '/emails', icon: IconMail },
      { label: 'Captured', path: '/captured', icon: IconInbox, needs: 'emails.read' },
      { label: 'Events', path: '/events', icon: IconActivity, needs: 'emails.read' },
      { label: 'Statistics', path: '/statistics', icon: IconChartBar },
      { label: 'Suppressions', path: '/suppressions', icon: IconForbid },
    ],
  },
  {
    title: 'Configuration',
    items: [
      { label: 'Domains', path: '/domains', icon: IconWorld },
      { label: 'API keys', path: '/api-keys', icon: IconKey, needs: 'api_keys.read' },
      { label: 'Webhooks', path: '/webhooks', icon: IconWebhook, needs: 'webhooks.read' },
    ],
  },
  {
    title: 'Account',
    items: [
      { label: 'Usage', path: '/usage', icon: IconAt },
      { label: 'Request log', path: '/logs', icon: IconListDetails, needs: 'api_keys.read' },
      { label: 'Audit log', path: '/audit-log', icon: IconHistory },
      { label: 'Team', path: '/team', icon: IconUsers },
      { label: 'Settings', path: '/settings', icon: IconSettings },
    ],
  },
  {
    title: 'Operator',
    needs: 'operator',
    items: [
      { label: 'Service', path: '/operator', icon: IconHeartbeat, exact: true },
      { label: 'Accounts', path: '/operator/accounts', icon: IconBuilding },
      { label: 'Queues', path: '/operator/queues', icon: IconRoute },
      { label: 'Event log', path: '/operator/event-log', icon: IconStack2 },
      { label: 'Doctor', path: '/operator/doctor', icon: IconStethoscope },
    ],
  },
];

/** The page of the navigation that a path below it belongs to; the overview for others. */
export function listAbove(pathname: string): NavigationItem {
  const items = NAVIGATION.flatMap((group) => group.items).filter(({ exact }) => exact !== true);
  return items.find(({ path }) => pathname.startsWith(`${path}/`)) ?? NAVIGATION[0].items[0];
}

/** The permission that the page at this path (below /app) needs. */
export function neededAt(pathname: string): string | undefined {
  for (const { needs, items } of NAVIGATION)
    for (const item of items)
      if (item.path === pathname || (item.exact !== true && pathname.startsWith(`${item.path}/`)))
        return item.needs ?? needs;
  return undefined;
}

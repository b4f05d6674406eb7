import {
  IconActivity,
  IconAt,
  IconChartBar,
  IconForbid,
  IconGauge,
  IconInbox,
  IconKey,
  IconListDetails,
  IconMail,
  IconRocket,
  IconSettings,
  IconUsers,
  IconWebhook,
  IconWorld,
  type Icon,
} from '@tabler/icons-react';

export interface NavigationItem {
  label: string;
  path: string;
  icon: Icon;
}

/** The pages in the order of the navigation, by group. */
export const NAVIGATION: { title: string | null; items: NavigationItem[] }[] = [
  {
    title: null,
    items: [
      { label: 'Overview', path: '/', icon: IconGauge },
      { label: 'Getting started', path: '/getting-started', icon: IconRocket },
    ],
  },
  {
    title: 'Messages',
    items: [
      { label: 'Emails', path: '/emails', icon: IconMail },
      { label: 'Inbox', path: '/inbox', icon: IconInbox },
      { label: 'Events', path: '/events', icon: IconActivity },
      { label: 'Statistics', path: '/statistics', icon: IconChartBar },
      { label: 'Suppressions', path: '/suppressions', icon: IconForbid },
    ],
  },
  {
    title: 'Configuration',
    items: [
      { label: 'Domains', path: '/domains', icon: IconWorld },
      { label: 'API keys', path: '/api-keys', icon: IconKey },
      { label: 'Webhooks', path: '/webhooks', icon: IconWebhook },
    ],
  },
  {
    title: 'Account',
    items: [
      { label: 'Usage', path: '/usage', icon: IconAt },
      { label: 'Request log', path: '/logs', icon: IconListDetails },
      { label: 'Team', path: '/team', icon: IconUsers },
      { label: 'Settings', path: '/settings', icon: IconSettings },
    ],
  },
];

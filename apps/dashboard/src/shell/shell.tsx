import {
  Anchor,
  AppShell,
  Avatar,
  Box,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook, IconLogout, IconSelector, IconUser } from '@tabler/icons-react';
import { Link, Outlet, useLocation } from 'react-router';
import { useWatch } from '../api/outage.ts';
import { logOut, openAccount, useSession } from '../api/session.tsx';
import { notifyFailed } from '../components/feedback.tsx';
import { OutageNotice } from '../components/outage.tsx';
import icon from '../icon.svg';
import { preloadPage } from '../pages/pages.ts';
import { NAVIGATION, type NavigationItem } from './navigation.ts';
import { OperatorNotices } from './operator-notices.tsx';
import { QuickSearch } from './quick-search.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { may } = useSession();
  useWatch();
  const isShown = ({ needs }: { needs?: string }) => needs === undefined || may(needs);
  const navigation = NAVIGATION.filter(isShown).map((group) => ({ ...group, items: group.items.filter(isShown) }));
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a href="#content" className="skip-link skip-to-content">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Link to="/" className="plain-link">
              <Group gap={8} wrap="nowrap">
                <img src={icon} alt="" width={26} height={26} />
                <Text fw={700}>Postloft</Text>
              </Group>
            </Link>
          </Group>
          <Group gap={6} wrap="nowrap">
            <QuickSearch pages={navigation.flatMap(({ items }) => items)} />
            <Anchor href="/docs/dashboard" c="dimmed" size="sm" mx={4} visibleFrom="xs" className="target">
              <Group gap={4} wrap="nowrap">
                <IconBook size={16} /> Docs
              </Group>
            </Anchor>
            <ThemeToggle />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <AppShell.Section>
          <AccountMenu />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea} mt="xs">
          {navigation.map(({ title, items }) => (
            <Box key={title ?? ''} mb="xs">
              {title !== null && (
                <Text size="xs" c="dimmed" fw={600} px="sm" mb={2}>
                  {title}
                </Text>
              )}
              {items.map((item) => (
                <NavigationLink key={item.path} item={item} onClick={close} />
              ))}
            </Box>
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main bg="var(--mantine-color-body)">
        <Box maw={1240} mx="auto" id="content" tabIndex={-1}>
          <Stack gap="lg">
            <OutageNotice />
            {may('operator') && <OperatorNotices />}
            <Outlet />
          </Stack>
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

/** A long navigation scrolls to the page that is open. */
function showInView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest' });
}

function NavigationLink({
  item: { label, path, icon: Symbol, exact = false },
  onClick,
}: {
  item: NavigationItem;
  onClick: () => void;
}) {
  const { pathname } = useLocation();
  const active = pathname === path || (!exact && pathname.startsWith(`${path}/`));
  const preload = () => void preloadPage(path);
  return (
    <NavLink
      component={Link}
      to={path}
      label={label}
      leftSection={<Symbol size={17} stroke={1.7} />}
      active={active}
      aria-current={active ? 'page' : undefined}
      ref={active ? showInView : undefined}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={onClick}
      py={4}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
    />
  );
}

function AccountMenu() {
  const { viewer, account } = useSession();
  const label = (
    <Group justify="space-between" wrap="nowrap" px="sm" py={6}>
      <Box miw={0}>
        <Text size="sm" fw={600} truncate>
          {account.name}
        </Text>
        <Text size="xs" c="dimmed">
          {account.role}
        </Text>
      </Box>
      {viewer.accounts.length > 1 && <IconSelector size={16} />}
    </Group>
  );
  if (viewer.accounts.length === 1) return label;
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <UnstyledButton w="100%" aria-label="Choose an account">
          {label}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {viewer.accounts.map(({ id, name, role }) => (
          <Menu.Item key={id} onClick={() => openAccount(id)}>
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {role}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu() {
  const { email } = useSession().viewer.user;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={`Signed in as ${email}`}>
          <Avatar color="brand" size={32}>
            <IconUser size={18} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        <Menu.Item component={Link} to="/settings">
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void logOut().catch(notifyFailed)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

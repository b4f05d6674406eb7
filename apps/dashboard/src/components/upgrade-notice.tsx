import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect } from 'react';
import { announceUpgrade, onUpgrade } from '../api/upgrade.ts';

const ID = 'upgrade';

/** Reports that the server was upgraded while the page was open. */
export function UpgradeNotice() {
  useEffect(() => onUpgrade(show), []);
  useEffect(() => {
    // The files of the previous version are gone.
    window.addEventListener('vite:preloadError', announceUpgrade);
    return () => window.removeEventListener('vite:preloadError', announceUpgrade);
  }, []);
  return null;
}

function show(): void {
  notifications.show({
    // One notice, however often it is announced.
    id: ID,
    title: 'Postloft was updated.',
    autoClose: false,
    color: 'blue',
    icon: <IconRefresh size={16} />,
    message: (
      <Group justify="space-between" gap="xs">
        <span>This page is from an earlier version.</span>
        <Button size="compact-sm" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </Group>
    ),
  });
}

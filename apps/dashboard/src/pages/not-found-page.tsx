import { Button } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Empty } from '../components/feedback.tsx';
import { Page } from '../components/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <Empty
        icon={IconMapPinOff}
        title="There is no page at this address"
        action={
          <Button component={Link} to="/" variant="light">
            To the overview
          </Button>
        }
      >
        The entry may have been deleted, or it belongs to another account.
      </Empty>
    </Page>
  );
}

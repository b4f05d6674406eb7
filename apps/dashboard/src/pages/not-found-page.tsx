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
        title="This page does not exist"
        action={
          <Button component={Link} to="/" variant="light">
            Go to overview
          </Button>
        }
      >
        It may have been deleted, or it belongs to another account.
      </Empty>
    </Page>
  );
}

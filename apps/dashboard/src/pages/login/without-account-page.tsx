import { Button, Text } from '@mantine/core';
import { logOut } from '../../api/session.tsx';
import type { Viewer } from '../../api/viewer.ts';
import { notifyFailed } from '../../components/feedback.tsx';
import { LoginFrame } from './login-frame.tsx';

/** For a user whose last account has been left or deleted. */
export function WithoutAccountPage({ viewer }: { viewer: Viewer }) {
  return (
    <LoginFrame title="No account">
      <Text size="sm">{viewer.user.email} is not a member of any account. Ask an administrator for an invitation.</Text>
      <Button variant="default" onClick={() => void logOut().catch(notifyFailed)}>
        Sign out
      </Button>
    </LoginFrame>
  );
}

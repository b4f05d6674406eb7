import { IconEyeOff, IconMapPinOff } from '@tabler/icons-react';
import { useLocation } from 'react-router';
import { useSession } from '../api/session.tsx';
import { Empty } from '../components/feedback.tsx';
import { NextStep } from '../components/list-page.tsx';
import { Page } from '../components/page.tsx';
import { listAbove } from '../shell/navigation.ts';

/** In place of an unknown page, or of an entry that does not exist; leads back to the list of the entry. */
export function NotFoundPage() {
  const { path, label } = listAbove(useLocation().pathname);
  const back = <NextStep to={path}>{`Go to ${label.toLowerCase()}`}</NextStep>;
  return (
    <Page title="Not found">
      <Empty icon={IconMapPinOff} title="This page does not exist" action={back}>
        It may have been deleted, or it belongs to another account.
      </Empty>
    </Page>
  );
}

export function NotPermittedPage() {
  const { role } = useSession().account;
  return (
    <Page title="Not permitted">
      <Empty icon={IconEyeOff} title={`Your role, ${role}, does not show this page`}>
        An owner or admin of the account can give you another role.
      </Empty>
    </Page>
  );
}

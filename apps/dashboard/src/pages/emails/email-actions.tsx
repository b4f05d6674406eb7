import { Button } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCalendar, IconRepeat, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { notifyDone, notifyUndo } from '../../components/feedback.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { useChange } from '../../components/use-change.ts';
import {
  CancelEmailDocument,
  RescheduleEmailDocument,
  RetryEmailDocument,
  type EmailQuery,
} from '../../graphql/generated.ts';

type Email = NonNullable<EmailQuery['email']>;

interface ActionsProps {
  email: Email;
  refresh: () => void;
}

export function EmailActions({ email, refresh }: ActionsProps) {
  const { may } = useSession();
  const navigate = useNavigate();
  const retry = useOperation(RetryEmailDocument);
  const [busy, change] = useChange();
  if (!may('emails.send')) return null;
  const again = async () => {
    const { retryEmail } = await retry({ id: email.id });
    await navigate(`/emails/${retryEmail.id}`);
  };
  return (
    <>
      {email.status === 'scheduled' && <ScheduledActions email={email} refresh={refresh} />}
      {(email.status === 'failed' || email.status === 'bounced') && (
        <Button variant="default" leftSection={<IconRepeat size={16} />} loading={busy} onClick={() => change(again)}>
          Send again
        </Button>
      )}
    </>
  );
}

function ScheduledActions({ email, refresh }: ActionsProps) {
  const cancel = useOperation(CancelEmailDocument);
  const ask = () =>
    confirm({
      title: 'Cancel this email?',
      text: 'It will not be sent. This cannot be undone.',
      confirm: 'Cancel email',
      keep: 'Keep',
      run: async () => {
        await cancel({ id: email.id });
        notifyDone('The email has been canceled.');
        refresh();
      },
    });
  const reschedule = () =>
    modals.open({ title: 'Reschedule', children: <RescheduleForm email={email} refresh={refresh} /> });
  return (
    <>
      <Button variant="default" leftSection={<IconCalendar size={16} />} onClick={reschedule}>
        Reschedule
      </Button>
      <Button color="red" variant="light" leftSection={<IconX size={16} />} onClick={ask}>
        Cancel
      </Button>
    </>
  );
}

function RescheduleForm({ email, refresh }: ActionsProps) {
  const reschedule = useOperation(RescheduleEmailDocument);
  const [before] = useState(email.scheduledAt ?? new Date().toISOString());
  const [at, setAt] = useState(before);
  const save = async () => {
    await reschedule({ id: email.id, input: { scheduledAt: at } });
    modals.closeAll();
    refresh();
    notifyUndo('The email has been rescheduled.', restore, 'The email has its previous time again.');
  };
  const restore = async () => {
    await reschedule({ id: email.id, input: { scheduledAt: before } });
    refresh();
  };
  return (
    <DialogForm action="Reschedule" save={save}>
      <FormField name="scheduledAt">
        <DateTimeInput label="Send at" value={at} onChange={setAt} />
      </FormField>
    </DialogForm>
  );
}

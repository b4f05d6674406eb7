import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { notifyFailed } from './feedback.tsx';
import { Copyable } from './format.tsx';

interface DialogFormProps {
  /** The words on the button. */
  action: string;
  save: () => Promise<void>;
  children: ReactNode;
}

/** Fields in a dialog with a button that saves them. */
export function DialogForm({ action, save, children }: DialogFormProps) {
  const [busy, setBusy] = useState(false);
  const submit = () => {
    setBusy(true);
    save()
      .catch(notifyFailed)
      .finally(() => setBusy(false));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ShownOnceProps {
  title: string;
  text?: string;
  value: string;
  /** The name of the button that copies the value. */
  label: string;
  close: () => void;
  children?: ReactNode;
}

/** A secret that is not shown again. */
export function ShownOnce({ title, text, value, label, close, children }: ShownOnceProps) {
  return (
    <Stack>
      {children}
      <Alert color="yellow" icon={<IconAlertTriangle />} title={title}>
        {text}
      </Alert>
      <Copyable value={value} label={label} />
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}

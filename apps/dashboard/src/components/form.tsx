import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Copyable } from './format.tsx';
import { useChange } from './use-change.ts';

interface FormProps {
  submit: () => void;
  children: ReactNode;
}

/** A form that the page handles instead of the browser. */
export function Form({ submit, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
    </form>
  );
}

interface DialogFormProps {
  /** The text on the button. */
  action: string;
  save: () => Promise<void>;
  disabled?: boolean;
  children: ReactNode;
}

/** Fields in a dialog with a button that saves them. */
export function DialogForm({ action, save, disabled, children }: DialogFormProps) {
  const [busy, change] = useChange();
  return (
    <Form submit={() => change(save)}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={disabled}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
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

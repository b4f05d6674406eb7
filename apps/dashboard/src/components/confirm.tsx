import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifyFailed } from './feedback.tsx';

interface Question {
  title: string;
  text: string;
  confirm: string;
  /** Runs after the confirmation; a failure is shown. */
  run: () => Promise<void>;
}

/** Asks for confirmation before something that cannot be undone. */
export function confirm({ title, text, confirm: label, run }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: label, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm: () => void run().catch(notifyFailed),
  });
}

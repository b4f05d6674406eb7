import { Alert, Box, Button, Center, Code, Group, Loader, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconX, type Icon } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useOnRecovery } from '../api/outage.ts';
import { problemOf } from '../api/problem.ts';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', icon: <IconCheck size={16} /> });
}

/** Reports a change, with a button that undoes it. */
export function notifyUndo(message: string, undo: () => Promise<void>, undone: string): void {
  const id = notifications.show({
    color: 'teal',
    icon: <IconCheck size={16} />,
    autoClose: 10_000,
    message: (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <span className="break">{message}</span>
        <UndoButton
          undo={() => {
            notifications.hide(id);
            undo().then(() => notifyDone(undone), notifyFailed);
          }}
        />
      </Group>
    ),
  });
}

/** The time in which a dialog has returned the focus. */
const RETURNED_MS = 400;

/** Takes the focus if what had it is gone, as the row of a removed entry. */
function UndoButton({ undo }: { undo: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (document.activeElement === document.body) button.current?.focus();
    }, RETURNED_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <Button ref={button} size="compact-sm" variant="default" onClick={undo}>
      Undo
    </Button>
  );
}

export function notifyFailed(error: unknown): void {
  const { message, requestId } = problemOf(error);
  notifications.show({
    title: message,
    message: requestId === null ? '' : <RequestId id={requestId} />,
    color: 'red',
    icon: <IconX size={16} />,
    autoClose: 12_000,
  });
}

export function RequestId({ id }: { id: string }) {
  return (
    <Text size="xs" c="dimmed">
      Request <Code>{id}</Code>
    </Text>
  );
}

export function Loading() {
  return (
    <Center p="xl" role="status" aria-label="Loading">
      <Loader type="dots" />
    </Center>
  );
}

/** A failed load, shown in place of the content. Repeats it after an outage. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, requestId } = problemOf(error);
  useOnRecovery(retry);
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={message}>
      <Group justify="space-between">
        {requestId === null ? <span /> : <RequestId id={requestId} />}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

interface EmptyProps {
  icon: Icon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

/** An empty list, with what to do next. */
export function Empty({ icon: Symbol, title, children, action }: EmptyProps) {
  return (
    <Center py={56}>
      <Stack align="center" gap="xs" maw={440} ta="center">
        <ThemeIcon size={52} radius="xl" variant="light">
          <Symbol size={26} />
        </ThemeIcon>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" size="sm">
          {children}
        </Text>
        {action && <Box mt="xs">{action}</Box>}
      </Stack>
    </Center>
  );
}

import { Button, Code, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState, type ReactNode } from 'react';
import { notifyFailed } from './feedback.tsx';
import { DialogForm } from './form.tsx';

interface Question {
  title: string;
  text: ReactNode;
  confirm: string;
  /** The button that changes nothing. */
  keep?: string;
  /** Runs after the confirmation; a failure is shown. */
  run: () => Promise<void>;
}

/** Asks for confirmation before something that cannot be undone. */
export function confirm({ title, text, confirm: label, keep = 'Cancel', run }: Question): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {text}
      </Text>
    ),
    labels: { confirm: label, cancel: keep },
    confirmProps: { color: 'red' },
    onConfirm: () => void run().catch(notifyFailed),
  });
}

interface TypedQuestion extends Omit<Question, 'keep'> {
  /** The name to type. */
  name: string;
}

/** Asks for the name of what is removed with everything that depends on it. */
export function confirmByName({ title, ...question }: TypedQuestion): void {
  modals.open({ title, closeOnClickOutside: false, children: <TypeName {...question} /> });
}

function TypeName({ text, confirm: label, name, run }: Omit<TypedQuestion, 'title'>) {
  const [typed, setTyped] = useState('');
  const save = async () => {
    await run();
    modals.closeAll();
  };
  return (
    <DialogForm
      action={label}
      color="red"
      disabled={typed.trim().toLowerCase() !== name.toLowerCase()}
      save={save}
      aside={
        <Button variant="default" onClick={modals.closeAll}>
          Keep
        </Button>
      }
    >
      <Stack gap="xs">
        <Text size="sm" component="div">
          {text}
        </Text>
        <TextInput
          label={
            <>
              Type <Code>{name}</Code> to confirm
            </>
          }
          aria-label={`Type ${name} to confirm`}
          data-autofocus
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Stack>
    </DialogForm>
  );
}

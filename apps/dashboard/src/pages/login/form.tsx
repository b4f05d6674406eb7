import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { problemOf } from '../../components/feedback.tsx';
import { Form } from '../../components/form.tsx';
import { LIMITS } from '../../generated/constants.ts';

/** A form that shows why its submission failed. */
export function LoginForm({
  submit,
  label,
  children,
}: {
  submit: () => Promise<void>;
  label: string;
  children: ReactNode;
}) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    setError(null);
    submit()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <Form submit={run}>
      <Stack>
        {error !== null && (
          <Alert color="red" icon={<IconAlertTriangle />} role="alert">
            {problemOf(error).message}
          </Alert>
        )}
        {children}
        <Button type="submit" loading={busy} fullWidth>
          {label}
        </Button>
      </Stack>
    </Form>
  );
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

export function EmailField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      label="Email"
      type="email"
      name="email"
      autoComplete="username"
      required
      autoFocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function PasswordField({
  value,
  onChange,
  isNew = false,
  label = 'Password',
}: FieldProps & { isNew?: boolean; label?: string }) {
  return (
    <PasswordInput
      label={label}
      name={isNew ? 'new-password' : 'password'}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      description={isNew ? `At least ${LIMITS.passwordMinimum} characters` : undefined}
      minLength={isNew ? LIMITS.passwordMinimum : undefined}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide password' }}
    />
  );
}

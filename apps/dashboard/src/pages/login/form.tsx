import { PasswordInput, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Form, FormField, SubmitButton } from '../../components/form.tsx';
import { LIMITS } from '../../generated/constants.ts';

interface LoginFormProps {
  submit: () => Promise<void>;
  label: string;
  children: ReactNode;
}

export function LoginForm({ submit, label, children }: LoginFormProps) {
  return (
    <Form save={submit}>
      <Stack>
        {children}
        <SubmitButton fullWidth>{label}</SubmitButton>
      </Stack>
    </Form>
  );
}

interface NameFieldProps {
  label: string;
  /** The field of the request. */
  name?: string;
  placeholder?: string;
  autoFocus?: boolean;
  value: string;
  onChange: (value: string) => void;
}

/** The name of a person or an account. */
export function NameField({ name = 'name', onChange, ...props }: NameFieldProps) {
  return (
    <FormField name={name}>
      <TextInput {...props} onChange={(event) => onChange(event.currentTarget.value)} />
    </FormField>
  );
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

export function EmailField({ value, onChange }: FieldProps) {
  return (
    <FormField name="email">
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
    </FormField>
  );
}

interface PasswordFieldProps extends FieldProps {
  isNew?: boolean;
  label?: string;
  /** The field of the request. */
  name?: string;
}

export function PasswordField({
  value,
  onChange,
  isNew = false,
  label = 'Password',
  name = 'password',
}: PasswordFieldProps) {
  return (
    <FormField name={name}>
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
    </FormField>
  );
}

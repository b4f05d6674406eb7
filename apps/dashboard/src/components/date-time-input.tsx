import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface DateTimeInputProps {
  label: string;
  /** ISO 8601 */
  value: string | null;
  onChange: (iso: string) => void;
  /** Permits an empty field. */
  onClear?: () => void;
  /** Added to the time zone. */
  hint?: string;
  error?: ReactNode;
}

/** A date and time in the time zone of the browser. */
export function DateTimeInput({ label, value, onChange, onClear, hint, ...props }: DateTimeInputProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <TextInput
      {...props}
      type="datetime-local"
      label={label}
      description={hint === undefined ? zone : `${hint}. ${zone}`}
      required={onClear === undefined}
      value={value === null ? '' : localOf(value)}
      onChange={({ currentTarget }) => {
        if (currentTarget.value) onChange(new Date(currentTarget.value).toISOString());
        else onClear?.();
      }}
    />
  );
}

function localOf(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

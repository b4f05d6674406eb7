import { TextInput } from '@mantine/core';

interface DateTimeInputProps {
  label: string;
  /** ISO 8601 */
  value: string;
  onChange: (iso: string) => void;
}

/** A date and time in the time zone of the browser. */
export function DateTimeInput({ label, value, onChange }: DateTimeInputProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={zone}
      required
      value={localOf(value)}
      onChange={({ currentTarget }) => currentTarget.value && onChange(new Date(currentTarget.value).toISOString())}
    />
  );
}

function localOf(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

import { MultiSelect } from '@mantine/core';

export interface NamedDomain {
  id: string;
  name: string;
}

interface DomainsFieldProps {
  domains: readonly NamedDomain[];
  /** Null for all domains. */
  value: readonly string[] | null;
  disabled?: boolean;
  onChange: (ids: string[] | null) => void;
}

/** The domains whose events a webhook receives. */
export function DomainsField({ domains, value, disabled, onChange }: DomainsFieldProps) {
  return (
    <MultiSelect
      label="Domains"
      description="Only events of messages from these domains."
      placeholder={value === null ? 'All domains' : undefined}
      disabled={disabled}
      searchable
      data={domains.map(({ id, name }) => ({ value: id, label: name }))}
      value={[...(value ?? [])]}
      onChange={(ids) => onChange(ids.length > 0 ? ids : null)}
    />
  );
}

/** The names of domains; the id of one that was deleted. */
export const namesOf = (ids: readonly string[], domains: readonly NamedDomain[]): string[] =>
  ids.map((id) => domains.find((domain) => domain.id === id)?.name ?? id);

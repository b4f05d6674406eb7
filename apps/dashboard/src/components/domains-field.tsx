import { MultiSelect } from '@mantine/core';
import type { ReactNode } from 'react';

export interface NamedDomain {
  id: string;
  name: string;
}

interface DomainsFieldProps {
  label: string;
  description?: string;
  domains: readonly NamedDomain[];
  /** Null for all domains. */
  value: readonly string[] | null;
  disabled?: boolean;
  error?: ReactNode;
  onChange: (ids: string[] | null) => void;
}

/** All domains, or some of them. */
export function DomainsField({ domains, value, onChange, ...props }: DomainsFieldProps) {
  return (
    <MultiSelect
      {...props}
      placeholder={value === null ? 'All domains' : undefined}
      searchable
      data={domainOptions(domains)}
      value={[...(value ?? [])]}
      onChange={(ids) => onChange(ids.length > 0 ? ids : null)}
    />
  );
}

export const domainOptions = (domains: readonly NamedDomain[] = []): { value: string; label: string }[] =>
  domains.map(({ id, name }) => ({ value: id, label: name }));

/** The names of domains; the id of one that was deleted. */
export const namesOf = (ids: readonly string[], domains: readonly NamedDomain[]): string[] =>
  ids.map((id) => domains.find((domain) => domain.id === id)?.name ?? id);

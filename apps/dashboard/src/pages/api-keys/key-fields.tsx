import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { useSession } from '../../api/session.tsx';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { DomainsField } from '../../components/domains-field.tsx';
import { FormField } from '../../components/form.tsx';
import type { ApiKeysQuery, Permission } from '../../graphql/generated.ts';

const CHOSEN = 'chosen';
export const PERMISSIONS: Record<Permission, string> = { sending_access: 'Sending access', full_access: 'Full access' };
const CHOICES = [
  ...Object.entries(PERMISSIONS).map(([value, label]) => ({ value, label })),
  { value: CHOSEN, label: 'Custom scopes' },
];

/** The properties that can be set for new and existing keys. */
export interface KeyInput {
  name: string;
  permission: Permission | null;
  /** With `permission` null. */
  scopes: string[] | null;
  domainIds: string[] | null;
  allowedIps: string[] | null;
  /** ISO 8601; null: never. */
  expiresAt: string | null;
}

interface KeyFieldsProps {
  input: KeyInput;
  set: (change: Partial<KeyInput>) => void;
  domains: ApiKeysQuery['domains'];
}

export function KeyName({ input, set }: Omit<KeyFieldsProps, 'domains'>) {
  return (
    <FormField name="name">
      <TextInput
        label="Name"
        placeholder="Web shop"
        required
        data-autofocus
        value={input.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </FormField>
  );
}

export function KeyLimits({ input, set, domains }: KeyFieldsProps) {
  const { account, may } = useSession();
  const { permission, scopes, domainIds, allowedIps, expiresAt } = input;
  return (
    <>
      <FormField name="permission">
        <Select
          label="Permission"
          allowDeselect={false}
          data={CHOICES.map((choice) => ({
            ...choice,
            // A key must not have more scopes than its creator; the roles with this one have all of them.
            disabled: choice.value === 'full_access' && !may('account.write'),
          }))}
          value={permission ?? CHOSEN}
          onChange={(chosen) =>
            set(
              chosen === CHOSEN ? { permission: null, scopes: [] } : { permission: chosen as Permission, scopes: null },
            )
          }
        />
      </FormField>{' '}
      {permission === null && (
        <FormField name="scopes">
          <MultiSelect
            label="Scopes"
            required
            searchable
            data={[...new Set([...account.scopes, ...(scopes ?? [])])]}
            value={scopes ?? []}
            onChange={(chosen) => set({ scopes: chosen })}
          />
        </FormField>
      )}
      <FormField name="domainIds">
        <DomainsField
          label="Only these domains"
          domains={domains}
          value={domainIds}
          onChange={(ids) => set({ domainIds: ids })}
        />
      </FormField>
      <FormField name="allowedIps">
        <TagsInput
          label="Only from these IP addresses"
          placeholder={allowedIps?.length ? undefined : '192.0.2.0/24'}
          value={allowedIps ?? []}
          onChange={(addresses) => set({ allowedIps: addresses.length > 0 ? addresses : null })}
        />
      </FormField>
      <FormField name="expiresAt">
        <DateTimeInput
          label="Expires"
          hint="Leave empty for no expiry"
          value={expiresAt}
          onChange={(at) => set({ expiresAt: at })}
          onClear={() => set({ expiresAt: null })}
        />
      </FormField>
    </>
  );
}

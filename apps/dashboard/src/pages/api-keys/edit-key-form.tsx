import { Text } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { notifyDone } from '../../components/feedback.tsx';
import { DialogForm } from '../../components/form.tsx';
import { UpdateApiKeyDocument, type ApiKeysQuery, type UpdateApiKeyInput } from '../../graphql/generated.ts';
import { KeyLimits, KeyName, type KeyInput } from './key-fields.tsx';

type ApiKey = ApiKeysQuery['apiKeys'][number];

interface EditKeyFormProps {
  apiKey: ApiKey;
  domains: ApiKeysQuery['domains'];
  saved: () => void;
  close: () => void;
}

/** Edits the name, permission, restrictions and expiry of a key. */
export function EditKeyForm({ apiKey, domains, saved, close }: EditKeyFormProps) {
  const update = useOperation(UpdateApiKeyDocument);
  const [before] = useState(() => inputOf(apiKey));
  const [input, setInput] = useState(before);
  const set = (change: Partial<KeyInput>) => setInput((known) => ({ ...known, ...change }));
  const save = async () => {
    await update({ id: apiKey.id, input: changesOf(before, input) });
    notifyDone(`${input.name} has been updated.`);
    saved();
    close();
  };
  return (
    <DialogForm action="Save" save={save}>
      <Text size="sm" c="dimmed">
        The key itself stays the same. Changes take effect within a second, including on open connections.
      </Text>
      <KeyName input={input} set={set} />
      <KeyLimits input={input} set={set} domains={domains} />
    </DialogForm>
  );
}

const inputOf = ({ name, permission, scopes, domainIds, allowedIps, expiresAt }: ApiKey): KeyInput => ({
  name,
  permission,
  scopes: permission === null ? scopes : null,
  domainIds,
  allowedIps,
  expiresAt,
});

/** Only the changed properties: the others must not be validated again. */
function changesOf(before: KeyInput, now: KeyInput): UpdateApiKeyInput {
  const names = Object.keys(now) as (keyof KeyInput)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  const { permission, scopes, ...rest } = Object.fromEntries(
    changed.map((name) => [name, now[name]]),
  ) as Partial<KeyInput>;
  return { ...rest, ...(permission ? { permission } : {}), ...(scopes ? { scopes } : {}) };
}

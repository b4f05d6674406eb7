import { Input, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { DialogForm, ShownOnce } from '../../components/form.tsx';
import { CreateApiKeyDocument, type ApiKeysQuery, type Mode } from '../../graphql/generated.ts';
import { KeyLimits, KeyName, type KeyInput } from './key-fields.tsx';

interface CreateKeyFormProps {
  domains: ApiKeysQuery['domains'];
  created: () => void;
  close: () => void;
}

const NEW_KEY: KeyInput = {
  name: '',
  permission: 'sending_access',
  scopes: null,
  domainIds: null,
  allowedIps: null,
  expiresAt: null,
};

/** Creates a key, and shows its token once. */
export function CreateKeyForm({ domains, created, close }: CreateKeyFormProps) {
  const create = useOperation(CreateApiKeyDocument);
  const [input, setInput] = useState(NEW_KEY);
  const [mode, setMode] = useState<Mode>('live');
  const [token, setToken] = useState<string | null>(null);
  const set = (change: Partial<KeyInput>) => setInput((before) => ({ ...before, ...change }));
  if (token !== null)
    return (
      <ShownOnce
        title="Copy the key now"
        text="It won't be shown again."
        value={token}
        label="Copy the key"
        close={close}
      />
    );
  const save = async () => {
    const { createApiKey } = await create({ input: { ...input, mode } });
    setToken(createApiKey.token);
    created();
  };
  return (
    <DialogForm action="Create" save={save}>
      <KeyName input={input} set={set} />
      <Input.Wrapper
        label="Mode"
        labelElement="div"
        description="Emails sent with test keys appear in Captured and are not delivered."
        inputWrapperOrder={['label', 'input', 'description']}
      >
        <SegmentedControl
          aria-label="Mode"
          fullWidth
          data={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test' },
          ]}
          value={mode}
          onChange={setMode}
        />
      </Input.Wrapper>
      <KeyLimits input={input} set={set} domains={domains} />
    </DialogForm>
  );
}

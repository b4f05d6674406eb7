import {
  Alert,
  Button,
  Group,
  MultiSelect,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { notifyFailed } from '../../components/feedback.tsx';
import { Copyable } from '../../components/format.tsx';
import { CreateApiKeyDocument, type ApiKeysQuery, type CreateApiKeyInput } from '../../graphql/generated.ts';

interface CreateKeyFormProps {
  domains: ApiKeysQuery['domains'];
  created: () => void;
  close: () => void;
}

/** Creates a key, and shows its token once. */
export function CreateKeyForm({ domains, created, close }: CreateKeyFormProps) {
  const create = useOperation(CreateApiKeyDocument);
  const [input, setInput] = useState<CreateApiKeyInput>({ name: '', mode: 'live', permission: 'sending_access' });
  const [token, setToken] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<CreateApiKeyInput>) => setInput((before) => ({ ...before, ...change }));
  if (token !== null)
    return (
      <Stack>
        <Alert color="yellow" icon={<IconAlertTriangle />} title="Copy the key now">
          It is not shown again.
        </Alert>
        <Copyable value={token} label="Copy the key" />
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    );
  const save = async () => {
    const { createApiKey } = await create({ input });
    setToken(createApiKey.token);
    created();
  };
  const submit = () => {
    setBusy(true);
    save()
      .catch(notifyFailed)
      .finally(() => setBusy(false));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          placeholder="Web shop"
          required
          data-autofocus
          value={input.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Stack gap={4}>
          <Text size="sm" fw={500}>
            Mode
          </Text>
          <SegmentedControl
            aria-label="Mode"
            data={[
              { value: 'live', label: 'Live' },
              { value: 'test', label: 'Test' },
            ]}
            value={input.mode ?? 'live'}
            onChange={(mode) => set({ mode })}
          />
          <Text size="xs" c="dimmed">
            Messages of test keys go to the inbox and to nobody else.
          </Text>
        </Stack>
        <Select
          label="Rights"
          allowDeselect={false}
          data={[
            { value: 'sending_access', label: 'Sending only' },
            { value: 'full_access', label: 'Everything' },
          ]}
          value={input.permission ?? 'sending_access'}
          onChange={(permission) => set({ permission })}
        />
        <MultiSelect
          label="Only these domains"
          placeholder={input.domainIds?.length ? undefined : 'All domains'}
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          value={input.domainIds ?? []}
          onChange={(ids) => set({ domainIds: ids.length > 0 ? ids : null })}
        />
        <TagsInput
          label="Only from these addresses"
          placeholder={input.allowedIps?.length ? undefined : '192.0.2.0/24'}
          value={input.allowedIps ?? []}
          onChange={(addresses) => set({ allowedIps: addresses.length > 0 ? addresses : null })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

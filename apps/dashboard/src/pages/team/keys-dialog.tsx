import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { confirm } from '../../components/confirm.tsx';
import { notifyDone } from '../../components/feedback.tsx';
import { Time } from '../../components/format.tsx';
import { DataTable, type Field } from '../../components/table.tsx';

interface ApiKey {
  id: string;
  name: string;
  last_used_at: string | null;
}

/** The API keys that a removed person created. */
export interface KeysLeft {
  email: string;
  keys: ApiKey[];
}

/** Lists the keys that go on working after the removal, so that each can be revoked. */
export function KeysDialog({ left, close }: { left: KeysLeft | null; close: () => void }) {
  return (
    <Modal opened={left !== null} onClose={close} title="API keys that remain valid" size="lg">
      {left !== null && <Keys {...left} />}
    </Modal>
  );
}

function Keys({ email, keys }: KeysLeft) {
  const { may } = useSession();
  const [revoked, setRevoked] = useState<string[]>([]);
  const revoke = ({ id, name }: ApiKey) =>
    confirm({
      title: `Revoke ${name}?`,
      text: 'Requests with this key will be refused within a second. This cannot be undone.',
      confirm: 'Revoke',
      keep: 'Keep',
      run: async () => {
        await call('DELETE', `/api-keys/${id}`);
        setRevoked((all) => [...all, id]);
        notifyDone(`The key ${name} has been revoked.`);
      },
    });
  const fields: Field<ApiKey>[] = [
    { title: 'Name', kind: 'heading', render: ({ name }) => name },
    { title: 'Last used', render: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      title: 'Actions',
      kind: 'actions',
      align: 'right',
      render: (key) =>
        revoked.includes(key.id) ? (
          <Text size="xs">Revoked</Text>
        ) : (
          may('api_keys.write') && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={`Revoke the key ${key.name}`}
              onClick={() => revoke(key)}
            >
              Revoke
            </Button>
          )
        ),
    },
  ];
  return (
    <Stack gap="sm">
      <Text size="sm">
        {email} created these keys, or they were created with one of them. Revoke those that nobody else uses.
      </Text>
      <DataTable label="Keys of the removed person" fields={fields} rows={keys} keyOf={({ id }) => id} />
    </Stack>
  );
}

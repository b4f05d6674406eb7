import { ActionIcon, Badge, Button, Group, Menu, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { namesOf, type NamedDomain } from '../../components/domains-field.tsx';
import { Empty, Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { useChange } from '../../components/use-change.ts';
import {
  ApiKeysDocument,
  DeleteApiKeyDocument,
  UpdateApiKeyDocument,
  type ApiKeysQuery,
} from '../../graphql/generated.ts';
import { CreateKeyForm } from './create-key-form.tsx';
import { EditKeyForm } from './edit-key-form.tsx';
import { PERMISSIONS } from './key-fields.tsx';

type ApiKey = ApiKeysQuery['apiKeys'][number];

export function ApiKeysPage() {
  const { may } = useSession();
  const { data, error, refresh: reload } = useFreshQuery(ApiKeysDocument, {});
  const [opened, { open, close }] = useDisclosure();
  const add = may('api_keys.write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Create API key
    </Button>
  );
  return (
    <Page title="API keys" description="Keys for the REST and GraphQL APIs and the SMTP relay." actions={add}>
      {error && !data && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data?.apiKeys.length === 0 && (
        <Empty icon={IconKey} title="No API keys" action={add}>
          Create a key for each application. Keys can be restricted to sending, to domains and to IP addresses.
        </Empty>
      )}
      {data && data.apiKeys.length > 0 && <KeyTable keys={data.apiKeys} domains={data.domains} reload={reload} />}
      <Modal opened={opened} onClose={close} title="Create API key" closeOnClickOutside={false}>
        <CreateKeyForm domains={data?.domains ?? []} created={reload} close={close} />
      </Modal>
    </Page>
  );
}

interface KeyTableProps {
  keys: ApiKey[];
  domains: ApiKeysQuery['domains'];
  reload: () => void;
}

function KeyTable({ keys, domains, reload }: KeyTableProps) {
  const [edited, setEdited] = useState<ApiKey | null>(null);
  const fields: Field<ApiKey>[] = [
    { title: 'Name', kind: 'heading', render: (key) => <KeyName apiKey={key} /> },
    {
      title: 'Permission',
      render: ({ permission, scopes }) => (permission ? PERMISSIONS[permission] : scopes.join(', ')),
    },
    { title: 'Restrictions', render: (key) => limitsOf(key, domains) },
    { title: 'Last used', render: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
    { title: 'Created', render: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Actions',
      kind: 'actions',
      align: 'right',
      render: (key) => <KeyMenu apiKey={key} reload={reload} edit={() => setEdited(key)} />,
    },
  ];
  const close = () => setEdited(null);
  return (
    <>
      <DataTable label="API keys" fields={fields} rows={keys} keyOf={({ id }) => id} />
      <Modal opened={edited !== null} onClose={close} title="Edit API key" closeOnClickOutside={false}>
        {edited && <EditKeyForm apiKey={edited} domains={domains} saved={reload} close={close} />}
      </Modal>
    </>
  );
}

function KeyName({ apiKey: { id, name, mode, enabled, expiresAt } }: { apiKey: ApiKey }) {
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {mode === 'test' && (
          <Badge color="dark" variant="outline">
            test
          </Badge>
        )}
        {!enabled && <Status value="disabled" />}
      </Group>
      <Text size="xs" c="dimmed" className="mono">
        {id}
      </Text>
      {expiresAt && (
        <Text size="xs" c="dimmed">
          expires <Time at={expiresAt} />
        </Text>
      )}
    </>
  );
}

function limitsOf({ domainIds, allowedIps }: ApiKey, domains: readonly NamedDomain[]): string {
  const limits = [...namesOf(domainIds ?? [], domains), ...(allowedIps ?? [])];
  return limits.length > 0 ? limits.join(', ') : 'None';
}

interface KeyMenuProps {
  apiKey: ApiKey;
  reload: () => void;
  edit: () => void;
}

function KeyMenu({ apiKey: { id, name, enabled }, reload, edit }: KeyMenuProps) {
  const { may } = useSession();
  const update = useOperation(UpdateApiKeyDocument);
  const remove = useOperation(DeleteApiKeyDocument);
  const [, change] = useChange();
  if (!may('api_keys.write')) return null;
  const toggle = async () => {
    await update({ id, input: { enabled: !enabled } });
    reload();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={edit}>Edit</Menu.Item>
        <Menu.Item onClick={() => change(toggle, `${name} has been ${enabled ? 'disabled' : 'enabled'}.`)}>
          {enabled ? 'Disable' : 'Enable'}
        </Menu.Item>
        <Menu.Item
          color="red"
          onClick={() =>
            confirm({
              title: `Delete ${name}?`,
              text: 'Requests with this key will be refused within a second. This cannot be undone.',
              confirm: 'Delete key',
              run: async () => {
                await remove({ id });
                notifyDone(`${name} has been deleted.`);
                reload();
              },
            })
          }
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { ActionIcon, Badge, Menu } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDots, IconKey } from '@tabler/icons-react';
import { useSession } from '../../api/session.tsx';
import { rowsOf } from '../../api/use-connection.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { namesOf, type NamedDomain } from '../../components/domains-field.tsx';
import { notifyDone } from '../../components/feedback.tsx';
import { Status, Time } from '../../components/format.tsx';
import { DialogButton, ListPage } from '../../components/list-page.tsx';
import { Note, type Column } from '../../components/list.tsx';
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

const columnsFor = (domains: readonly NamedDomain[]): Column<ApiKey>[] => [
  { title: 'Name', width: 'minmax(0, 2fr)', render: (key) => <KeyName apiKey={key} /> },
  { title: 'Permission', width: 'minmax(0, 1fr)', from: 'sm', render: permissionOf },
  { title: 'Restrictions', width: 'minmax(0, 1fr)', from: 'sm', render: (key) => limitsOf(key, domains) },
  { title: 'Last used', width: '120px', from: 'sm', render: lastUseOf },
  { title: 'Created', width: '120px', from: 'md', render: ({ createdAt }) => <Time at={createdAt} /> },
];

const permissionOf = ({ permission, scopes }: ApiKey): string =>
  permission ? PERMISSIONS[permission] : scopes.join(', ');
const lastUseOf = ({ lastUsedAt }: ApiKey) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never');

export function ApiKeysPage() {
  const { may } = useSession();
  const fresh = useFreshQuery(ApiKeysDocument, {});
  const domains = fresh.data?.domains ?? [];
  const add = (
    <DialogButton
      label="Create API key"
      needs="api_keys.write"
      closeOnClickOutside={false}
      form={(close) => <CreateKeyForm domains={domains} created={fresh.refresh} close={close} />}
    />
  );
  const editor = (key: ApiKey) => ({
    title: 'Edit API key',
    size: 'md',
    closeOnClickOutside: false,
    children: <EditKeyForm apiKey={key} domains={domains} saved={fresh.refresh} close={modals.closeAll} />,
  });
  return (
    <ListPage
      title="API keys"
      description="Keys for the REST and GraphQL APIs and the SMTP relay."
      actions={add}
      label="API keys"
      list={rowsOf(fresh, ({ apiKeys }) => apiKeys, fresh.refresh)}
      columns={columnsFor(domains)}
      second={(key) => [permissionOf(key), key.lastUsedAt ? <Time key="at" at={key.lastUsedAt} /> : 'never used']}
      dialog={may('api_keys.write') ? editor : undefined}
      buttons={{
        width: '28px',
        render: (key) => <KeyMenu apiKey={key} reload={fresh.refresh} edit={() => modals.open(editor(key))} />,
      }}
      empty={{
        icon: IconKey,
        title: 'No API keys',
        text: 'Create a key for each application. Keys can be restricted to sending, to domains and to IP addresses.',
        action: add,
      }}
    />
  );
}

function KeyName({ apiKey: { id, name, mode, enabled, expiresAt } }: { apiKey: ApiKey }) {
  return (
    <>
      {name}{' '}
      {mode === 'test' && (
        <Badge component="span" color="dark" variant="outline">
          test
        </Badge>
      )}{' '}
      {!enabled && <Status value="disabled" />}
      <Note>
        <span className="mono">{id}</span>
        {expiresAt && (
          <>
            {' '}
            · expires <Time at={expiresAt} />
          </>
        )}
      </Note>
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
          c="var(--mantine-color-error)"
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

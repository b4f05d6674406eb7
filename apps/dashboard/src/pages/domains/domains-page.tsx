import { TextInput } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { rowsOf } from '../../api/use-connection.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { DomainStatus } from '../../components/domain-status.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { Time } from '../../components/format.tsx';
import { DialogButton, ListPage } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import { CreateDomainDocument, DomainsDocument, type DomainsQuery } from '../../graphql/generated.ts';

const COLUMNS: Column<DomainsQuery['domains'][number]>[] = [
  { title: 'Domain', width: 'minmax(0, 3fr)', render: ({ name }) => name },
  { title: 'Status', width: '150px', render: (domain) => <DomainStatus domain={domain} /> },
  { title: 'Last check', width: '140px', from: 'sm', render: ({ lastCheckedAt }) => <Time at={lastCheckedAt} /> },
  { title: 'Added', width: '140px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function DomainsPage() {
  const fresh = useFreshQuery(DomainsDocument, {});
  const add = <DialogButton label="Add domain" needs="domains.write" form={(close) => <AddForm close={close} />} />;
  return (
    <ListPage
      title="Domains"
      description="Domains you send from, verified by DNS records."
      actions={add}
      label="Domains"
      list={rowsOf(fresh, ({ domains }) => domains, fresh.refresh)}
      columns={COLUMNS}
      second={({ lastCheckedAt }) => [
        <>
          Last check <Time at={lastCheckedAt} />
        </>,
      ]}
      linkTo={({ id }) => `/domains/${id}`}
      empty={{
        icon: IconWorld,
        title: 'No domains yet',
        text: 'Add the domain of your sender addresses and publish a few DNS records. Verification is automatic.',
        action: add,
      }}
    />
  );
}

function AddForm({ close }: { close: () => void }) {
  const create = useOperation(CreateDomainDocument);
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const add = async () => {
    const { createDomain } = await create({ input: { name } });
    close();
    await navigate(`/domains/${createDomain.id}`);
  };
  return (
    <DialogForm action="Add" save={add}>
      <FormField name="name">
        <TextInput
          label="Domain"
          description="A subdomain such as mail.example.com keeps its reputation separate from your main domain."
          placeholder="mail.example.com"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </FormField>
    </DialogForm>
  );
}

import { Anchor, Button, Modal, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useSession } from '../../api/session.tsx';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { Empty, Failure, Loading } from '../../components/feedback.tsx';
import { DialogForm } from '../../components/form.tsx';
import { Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { CreateDomainDocument, DomainsDocument, type DomainsQuery } from '../../graphql/generated.ts';

export function DomainsPage() {
  const { may } = useSession();
  const { data, error, refresh } = useFreshQuery(DomainsDocument, {});
  const [opened, { open, close }] = useDisclosure();
  const add = may('domains.write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add domain
    </Button>
  );
  return (
    <Page title="Domains" description="Domains you send from, verified by DNS records." actions={add}>
      {error && !data && <Failure error={error} retry={refresh} />}
      {!data && !error && <Loading />}
      {data?.domains.length === 0 && (
        <Empty icon={IconWorld} title="No domains yet" action={add}>
          Add the domain of your sender addresses and publish a few DNS records. Verification is automatic.
        </Empty>
      )}
      {data && data.domains.length > 0 && (
        <DataTable label="Domains" fields={FIELDS} rows={data.domains} keyOf={({ id }) => id} />
      )}
      <Modal opened={opened} onClose={close} title="Add domain">
        <AddForm />
      </Modal>
    </Page>
  );
}

const FIELDS: Field<DomainsQuery['domains'][number]>[] = [
  {
    title: 'Domain',
    kind: 'heading',
    render: ({ id, name }) => (
      <Anchor component={Link} to={`/domains/${id}`} size="sm" inherit>
        {name}
      </Anchor>
    ),
  },
  { title: 'Status', render: ({ status }) => <Status value={status} /> },
  { title: 'Last check', render: ({ lastCheckedAt }) => <Time at={lastCheckedAt} /> },
  { title: 'Added', render: ({ createdAt }) => <Time at={createdAt} /> },
];

function AddForm() {
  const create = useOperation(CreateDomainDocument);
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const add = async () => {
    const { createDomain } = await create({ input: { name } });
    await navigate(`/domains/${createDomain.id}`);
  };
  return (
    <DialogForm action="Add" save={add}>
      <TextInput
        label="Domain"
        description="A subdomain such as mail.example.com keeps its reputation separate from your main domain."
        placeholder="mail.example.com"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

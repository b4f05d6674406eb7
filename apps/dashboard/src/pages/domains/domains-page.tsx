import { Anchor, Button, Card, Group, Modal, Stack, Table, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useQuery } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { Empty, Failure, Loading, notifyFailed } from '../../components/feedback.tsx';
import { Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { CreateDomainDocument, DomainsDocument, type DomainsQuery } from '../../graphql/generated.ts';

export function DomainsPage() {
  const { may } = useSession();
  const [{ data, error }, refresh] = useQuery({ query: DomainsDocument, requestPolicy: 'cache-and-network' });
  const [opened, { open, close }] = useDisclosure();
  const add = may('domains.write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add a domain
    </Button>
  );
  return (
    <Page title="Domains" description="Domains that messages are sent from, proved by DNS records." actions={add}>
      {error && !data && <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Loading />}
      {data?.domains.length === 0 && (
        <Empty icon={IconWorld} title="No domains yet" action={add}>
          Add the domain of your sender addresses. You get a few DNS records to publish, and verification follows by
          itself.
        </Empty>
      )}
      {data && data.domains.length > 0 && <DomainTable domains={data.domains} />}
      <Modal opened={opened} onClose={close} title="Add a domain">
        <AddForm />
      </Modal>
    </Page>
  );
}

function DomainTable({ domains }: { domains: DomainsQuery['domains'] }) {
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={420}>
        <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Domain</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Last check</Table.Th>
              <Table.Th>Added</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {domains.map(({ id, name, status, lastCheckedAt, createdAt }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Anchor component={Link} to={`/domains/${id}`} fw={500}>
                    {name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Status value={status} />
                </Table.Td>
                <Table.Td>
                  <Time at={lastCheckedAt} />
                </Table.Td>
                <Table.Td>
                  <Time at={createdAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function AddForm() {
  const create = useOperation(CreateDomainDocument);
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const add = () => {
    setBusy(true);
    create({ input: { name } })
      .then(({ createDomain }) => navigate(`/domains/${createDomain.id}`))
      .catch(notifyFailed)
      .finally(() => setBusy(false));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Stack>
        <TextInput
          label="Domain"
          description="A subdomain such as mail.example.com keeps the reputation of your main domain apart."
          placeholder="mail.example.com"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

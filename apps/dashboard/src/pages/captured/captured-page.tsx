import { Button, Card, Group, Select, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { fetchText } from '../../api/http.ts';
import { useLoad } from '../../api/use-load.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { ExactTime, formatBytes } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { CapturedEmailDocument, type CapturedEmailQuery } from '../../graphql/generated.ts';
import { MessageView } from '../messages/message-view.tsx';
import { NotFoundPage } from '../not-found-page.tsx';

type Captured = CapturedEmailQuery['capturedEmails']['nodes'][number];

/** A captured message. An email to several domains is sent as one copy per domain. */
export function CapturedPage() {
  const { id = '' } = useParams();
  const [{ data, error }, refresh] = useQuery({ query: CapturedEmailDocument, variables: { emailId: id } });
  const [chosen, setChosen] = useState<string | null>(null);
  if (error && !data) return <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />;
  if (!data) return <Loading />;
  const copies = data.capturedEmails.nodes;
  const copy = copies.find((one) => one.id === chosen) ?? copies[0];
  if (!copy || !data.email) return <NotFoundPage />;
  return (
    <Page
      title={data.email.subject || '(no subject)'}
      parent={{ label: 'Captured', path: '/captured' }}
      description={
        <>
          <ExactTime at={copy.createdAt} /> · {formatBytes(copy.size)}
        </>
      }
      actions={
        <Button component={Link} to={`/emails/${id}`} variant="default" leftSection={<IconHistory size={16} />}>
          Delivery
        </Button>
      }
    >
      <Envelope copy={copy} copies={copies} choose={setChosen} />
      <Card withBorder>
        <Content key={copy.id} copy={copy} email={data.email} />
      </Card>
    </Page>
  );
}

interface EnvelopeProps {
  copy: Captured;
  copies: readonly Captured[];
  choose: (id: string | null) => void;
}

function Envelope({ copy, copies, choose }: EnvelopeProps) {
  return (
    <Card withBorder>
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm" className="break">
            <Text span c="dimmed">
              MAIL FROM
            </Text>{' '}
            {copy.mailFrom || '<>'}
          </Text>
          <Text size="sm" className="break">
            <Text span c="dimmed">
              RCPT TO
            </Text>{' '}
            {copy.rcptTo.join(', ')}
          </Text>
        </div>
        {copies.length > 1 && (
          <Select
            size="xs"
            aria-label="Copy"
            allowDeselect={false}
            data={copies.map(({ id, rcptTo }) => ({ value: id, label: rcptTo.join(', ') }))}
            value={copy.id}
            onChange={choose}
          />
        )}
      </Group>
    </Card>
  );
}

function Content({
  copy: { id, emailId, createdAt },
  email,
}: {
  copy: Captured;
  email: NonNullable<CapturedEmailQuery['email']>;
}) {
  const source = useLoad(id, () => fetchText(`/captured/${id}/raw`));
  return <MessageView message={{ ...email, emailId, createdAt, source, isFinal: true }} />;
}

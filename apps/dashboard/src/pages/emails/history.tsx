import { Button, Card, Code, Text, Timeline, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ExactTime, Status, Time } from '../../components/format.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import type { EmailQuery } from '../../graphql/generated.ts';
import { historyOf, replyOf, tlsOf, type Attempt, type Entry } from './timeline.ts';

type Email = NonNullable<EmailQuery['email']>;

/** Entries of an email to many recipients that are shown before the earlier ones are asked for. */
const NEWEST = 20;

function useNewest<T>(entries: readonly T[]): { shown: readonly T[]; earlier: ReactNode } {
  const [all, setAll] = useState(false);
  const more = entries.length - NEWEST;
  if (all || more <= 0) return { shown: entries, earlier: null };
  return {
    shown: entries.slice(-NEWEST),
    earlier: (
      <Button size="xs" variant="default" mb="md" onClick={() => setAll(true)}>
        Show {more} earlier
      </Button>
    ),
  };
}

/** Everything that happened, with the host, the encryption and the reply of each attempt. */
export function History({ email }: { email: Email }) {
  const entries = historyOf(email);
  const several = email.recipients.length > 1;
  const { shown, earlier } = useNewest(entries);
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="md">
        Timeline
      </Title>
      {earlier}
      <Timeline bulletSize={12} lineWidth={2} active={shown.length}>
        {shown.map((entry) => (
          <Timeline.Item key={entry.id} title={<Status value={entry.status} label={entry.title} />}>
            <Details entry={entry} several={several} />
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

function Details({
  entry: { at, type, recipient, detail, attempt, nextAttemptAt },
  several,
}: {
  entry: Entry;
  several: boolean;
}) {
  return (
    <>
      <Text size="xs" c="dimmed">
        <ExactTime at={at} />
        {type && ` · ${type}`}
      </Text>
      {several && recipient && (
        <Text size="sm" className="break">
          {recipient}
        </Text>
      )}
      {attempt?.smtp?.mx && (
        <Text size="xs" c="dimmed" className="break">
          {attempt.smtp.mx} · {tlsOf(attempt).title}, {tlsOf(attempt).detail}
        </Text>
      )}
      {detail && (
        <Code block mt={4} className="break" style={{ whiteSpace: 'pre-wrap' }}>
          {detail}
        </Code>
      )}
      {nextAttemptAt && (
        <Text size="xs" c="dimmed" mt={2}>
          next attempt <Time at={nextAttemptAt} />
        </Text>
      )}
    </>
  );
}

const FIELDS: Field<Attempt>[] = [
  { title: 'Attempt', render: ({ number }) => number },
  { title: 'Recipient', render: ({ recipient }) => recipient },
  { title: 'Outcome', render: ({ outcome }) => <Status value={outcome} /> },
  {
    title: 'Host',
    render: ({ smtp, sourceIp }) => (
      <>
        {smtp?.mx ?? '–'}
        <Text size="xs" c="dimmed">
          {[smtp?.ip, sourceIp && `from ${sourceIp}`].filter(Boolean).join(' ')}
        </Text>
      </>
    ),
  },
  {
    title: 'TLS',
    render: (attempt) => (
      <>
        {tlsOf(attempt).title}
        <Text size="xs" c="dimmed">
          {[tlsOf(attempt).detail, attempt.security?.cipher].filter(Boolean).join(', ')}
        </Text>
      </>
    ),
  },
  { title: 'Reply', render: ({ smtp }) => replyOf(smtp) || '–', maxWidth: 320 },
  {
    title: 'When',
    render: ({ startedAt, endedAt }) => (
      <>
        <Time at={endedAt} />
        <Text size="xs" c="dimmed">
          took {Math.max(0, Date.parse(endedAt) - Date.parse(startedAt))} ms
        </Text>
      </>
    ),
  },
];

export function Attempts({ email }: { email: Email }) {
  const attempts = email.attempts.nodes;
  const { shown, earlier } = useNewest(attempts);
  if (attempts.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Delivery attempts
      </Title>
      {earlier}
      <DataTable label="Delivery attempts" fields={FIELDS} rows={shown} keyOf={({ id }) => id} />
    </section>
  );
}

import { Card, Code, Group, Stack, Text } from '@mantine/core';
import { Status, Time } from '../../components/format.tsx';
import type { EmailQuery } from '../../graphql/generated.ts';
import { replyOf } from './timeline.ts';

type Email = NonNullable<EmailQuery['email']>;
type Recipient = Email['recipients'][number];
type Reason = NonNullable<Email['explanation']>['recipients'][number];

/** Every recipient with its state, the reason, and the next step. */
export function Recipients({ email }: { email: Email }) {
  const reasons = new Map(email.explanation?.recipients.map((one) => [`${one.type} ${one.address}`, one]));
  return (
    <Card withBorder aria-label="Recipients" role="group">
      <Stack gap="md">
        {email.recipients.map((recipient) => (
          <RecipientRow
            key={`${recipient.type} ${recipient.address}`}
            recipient={recipient}
            reason={reasons.get(`${recipient.type} ${recipient.address}`)}
          />
        ))}
      </Stack>
    </Card>
  );
}

function RecipientRow({ recipient, reason }: { recipient: Recipient; reason: Reason | undefined }) {
  const { address, type, status, smtp, attempts } = recipient;
  const reply = replyOf(smtp);
  const isKnown = Boolean(reply && reason?.because.includes(smtp?.text ?? reply));
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Text size="sm" fw={600} className="break">
          {address}
        </Text>
        <Status value={status} />
      </Group>
      <Text size="xs" c="dimmed">
        {[type, attempts > 0 && `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`, visitsOf(recipient)]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {reason && (
        <Text size="sm" mt={4} className="break">
          {reason.because}
        </Text>
      )}
      {reply && !isKnown && (
        <Code block mt={4} className="break" style={{ whiteSpace: 'pre-wrap' }}>
          {reply}
        </Code>
      )}
      {reason && <NextStep reason={reason} />}
    </div>
  );
}

function NextStep({ reason: { held, until, givesUpAt } }: { reason: Reason }) {
  return (
    <>
      {held?.words && (
        <Text size="xs" c="dimmed" className="break">
          Held for {held.kind.replaceAll('_', ' ')}: {held.words}
        </Text>
      )}
      {until && (
        <Text size="xs" c="dimmed">
          next step <Time at={until} />
          {givesUpAt && (
            <>
              , gives up <Time at={givesUpAt} />
            </>
          )}
        </Text>
      )}
    </>
  );
}

function visitsOf({ visits }: Recipient): string {
  if (!visits || visits.opens + visits.clicks + visits.botOpens + visits.botClicks === 0) return '';
  const bots = visits.botOpens + visits.botClicks;
  return `${visits.opens} opens, ${visits.clicks} clicks${bots > 0 ? `, ${bots} by bots` : ''}`;
}

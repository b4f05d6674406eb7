import { Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Status, Time } from '../../components/format.tsx';
import { HOLDS } from '../../generated/constants.ts';
import type { EmailQuery } from '../../graphql/generated.ts';
import { replyOf } from './timeline.ts';

type Email = NonNullable<EmailQuery['email']>;
type Recipient = Email['recipients'][number];
type Reason = NonNullable<Email['explanation']>['recipients'][number];

/** Up to this number, all recipients are shown in the order of the message. */
const SHORT_LIST = 8;
/** Of each status in a longer list, before the others are asked for. */
const SHOWN_PER_STATUS = 3;

/** Every recipient with its state, the reason, and the next step; many are grouped by their status. */
export function Recipients({ email: { recipients, explanation } }: { email: Email }) {
  const reasons = new Map(explanation?.recipients.map((one) => [keyOf(one), one]));
  const rowsOf = (some: Recipient[]) =>
    some.map((one) => <RecipientRow key={keyOf(one)} recipient={one} reason={reasons.get(keyOf(one))} />);
  return (
    <Card withBorder aria-label="Recipients" role="group">
      <Stack gap="md">
        {recipients.length <= SHORT_LIST
          ? rowsOf(recipients)
          : groupsOf(recipients).map(([status, group]) => (
              <RecipientGroup key={status} status={status} rows={rowsOf(group)} />
            ))}
      </Stack>
    </Card>
  );
}

const keyOf = ({ type, address }: { type: string; address: string }): string => `${type} ${address}`;

/** Recipients by status, the smallest group first: what differs from the rest is what a reader looks for. */
function groupsOf(recipients: Recipient[]): [string, Recipient[]][] {
  const groups = new Map<string, Recipient[]>();
  for (const one of recipients) groups.set(one.status, [...(groups.get(one.status) ?? []), one]);
  return [...groups].toSorted(([, a], [, b]) => a.length - b.length);
}

function RecipientGroup({ status, rows }: { status: string; rows: ReactNode[] }) {
  const [all, setAll] = useState(false);
  const more = rows.length - SHOWN_PER_STATUS;
  return (
    <Stack gap="sm" role="group" aria-label={`${status}: ${rows.length}`}>
      <Group gap="xs">
        <Status value={status} />
        <Text size="sm" fw={600}>
          {rows.length} {rows.length === 1 ? 'recipient' : 'recipients'}
        </Text>
      </Group>
      {all ? rows : rows.slice(0, SHOWN_PER_STATUS)}
      {more > 0 && !all && (
        <Button size="xs" variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => setAll(true)}>
          Show {more} more
        </Button>
      )}
    </Stack>
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

function NextStep({ reason: { because, held, until, givesUpAt } }: { reason: Reason }) {
  return (
    <>
      {held?.words && !because.includes(held.words) && (
        <Text size="xs" c="dimmed" className="break">
          {HOLDS[held.kind]}. Reply: {held.words}
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

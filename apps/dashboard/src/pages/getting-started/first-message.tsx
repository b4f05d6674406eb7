import { Alert, Anchor, Button, Card, Group, Loader, Select, Stack, Text, TextInput, ThemeIcon } from '@mantine/core';
import { IconCheck, IconClock, IconSend, IconX } from '@tabler/icons-react';
import { useCallback, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { useQuery, useSubscription } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { Failure } from '../../components/feedback.tsx';
import { Form, FormField, SubmitButton } from '../../components/form.tsx';
import { EmailEventsDocument, SendFirstMessageDocument, SentMessageDocument } from '../../graphql/generated.ts';

interface FirstMessageProps {
  /** The domains that may send. */
  domains: string[];
  account: { capturesEmails: boolean; simulatorDomain: string };
}

/** Sends a message from the browser and shows its progress. */
export function FirstMessage({ domains, account: { capturesEmails: isCaptured, simulatorDomain } }: FirstMessageProps) {
  const send = useOperation(SendFirstMessageDocument);
  const [domain, setDomain] = useState<string | null>(null);
  const [to, setTo] = useState(`delivered@${simulatorDomain}`);
  const [sent, setSent] = useState<SentMessage | null>(null);
  const from = domain ?? domains[0];
  const run = async () => {
    const { sendEmail } = await send({ input: firstMessage(from, to) });
    setSent({ id: sendEmail.id, isSimulated: isOf(simulatorDomain, to) });
  };
  if (from === undefined)
    return (
      <Text size="sm" c="dimmed" mb="md">
        Once a domain is verified, you can send your first email from here.
      </Text>
    );
  return (
    <Card withBorder mb="md" maw={640}>
      <Form save={run}>
        <Stack gap="sm">
          <Group align="flex-end" grow preventGrowOverflow={false}>
            <FormField name="to">
              <TextInput
                label="To"
                type="email"
                required
                miw={220}
                value={to}
                onChange={(event) => setTo(event.currentTarget.value)}
              />
            </FormField>
            {domains.length > 1 && (
              <FormField name="from">
                <Select label="From hello@" allowDeselect={false} data={domains} value={from} onChange={setDomain} />
              </FormField>
            )}
          </Group>
          <Recipients simulatorDomain={simulatorDomain} to={to} choose={setTo} />
          <Text size="xs" c="dimmed">
            {whatHappens({ from, to, isCaptured, simulatorDomain })}
          </Text>
          <Group>
            <SubmitButton leftSection={<IconSend size={16} />}>
              {sent === null ? 'Send an email now' : 'Send another'}
            </SubmitButton>
          </Group>
          {sent !== null && <Progress key={sent.id} sent={sent} isCaptured={isCaptured} />}
        </Stack>
      </Form>
    </Card>
  );
}

interface SentMessage {
  id: string;
  isSimulated: boolean;
}

const isOf = (domain: string, address: string): boolean => address.trim().toLowerCase().endsWith(`@${domain}`);

interface RecipientsProps {
  simulatorDomain: string;
  to: string;
  choose: (address: string) => void;
}

/** Addresses to choose from: outcomes of the simulator, which no mail leaves the service for, and one's own mailbox. */
function Recipients({ simulatorDomain, to, choose }: RecipientsProps) {
  const { email } = useSession().viewer.user;
  const choices: [string, string][] = [
    ['Simulator: delivered', `delivered@${simulatorDomain}`],
    ['Simulator: bounced', `bounced@${simulatorDomain}`],
    ['My address', email],
  ];
  return (
    <Group gap="xs" role="group" aria-label="Recipient">
      {choices.map(([label, address]) => (
        <Button
          key={label}
          size="compact-sm"
          variant={to === address ? 'light' : 'default'}
          aria-pressed={to === address}
          onClick={() => choose(address)}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

interface Trial {
  from: string;
  to: string;
  isCaptured: boolean;
  simulatorDomain: string;
}

function whatHappens({ from, to, isCaptured, simulatorDomain }: Trial): string {
  if (isOf(simulatorDomain, to))
    return `Sent from hello@${from}. The simulator plays the receiving server: no mail leaves this service, and a copy appears in Captured.`;
  if (isCaptured) return 'This service captures all emails: yours appears in Captured and is not delivered.';
  return `Sent from hello@${from}, and really delivered. If it bounces, no member of the account is suppressed.`;
}

const firstMessage = (domain: string, to: string) => ({
  from: `Hello <hello@${domain}>`,
  to: [to],
  subject: 'Your first email',
  text: `It works: this email was sent from ${domain} through Postloft.`,
  html: `<h1>It works</h1><p>This email was sent from <b>${domain}</b> through Postloft.</p>`,
});

/** In case the socket is not connected. */
const READ_EVERY_MS = 5_000;
const ENDED = ['delivered', 'bounced', 'failed', 'suppressed', 'canceled', 'complained'];
/** Ways in which the message may end. */
const ENDS: Record<string, string> = {
  bounced: 'The email bounced.',
  failed: 'The email could not be delivered.',
  suppressed: 'The email was suppressed.',
  canceled: 'The email was canceled.',
};
const ARRIVED = ['delivered', 'complained'];

/** The message, reloaded after each of its events. */
function useSentMessage(id: string) {
  const [{ data, error }, refresh] = useQuery({
    query: SentMessageDocument,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const [{ data: event }] = useSubscription({ query: EmailEventsDocument, variables: { emailId: id } });
  const latest = event?.emailEvents.id;
  const reload = useCallback(() => refresh({ requestPolicy: 'network-only' }), [refresh]);
  const status = data?.email?.status ?? 'queued';
  const hasEnded = ENDED.includes(status);
  useEffect(() => {
    if (latest !== undefined) reload();
  }, [latest, reload]);
  useEffect(() => {
    if (hasEnded) return undefined;
    const timer = window.setInterval(reload, READ_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [hasEnded, reload]);
  return { recipient: data?.email?.recipients[0], status, hasEnded, error: data ? undefined : error, reload };
}

/** Accepted, then delivered or the reason why not. */
function Progress({ sent: { id, isSimulated }, isCaptured }: { sent: SentMessage; isCaptured: boolean }) {
  const { recipient, status, hasEnded, error, reload } = useSentMessage(id);
  if (error) return <Failure error={error} retry={reload} />;
  const hasArrived = ARRIVED.includes(status);
  return (
    <Stack gap="xs" role="status" aria-label="Progress of the email">
      <Step state="done">Accepted</Step>
      {hasArrived ? (
        <Step state="done">{arrivalOf({ isCaptured, isSimulated, mx: recipient?.smtp?.mx })}</Step>
      ) : (
        <NotArrived status={status} hasEnded={hasEnded} recipient={recipient} />
      )}
      <Group gap="md">
        <Anchor component={Link} to={`/emails/${id}`} size="sm">
          View this email
        </Anchor>
        {hasArrived && (isCaptured || isSimulated) && (
          <Anchor component={Link} to={`/captured/${id}`} size="sm">
            View in Captured
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}

interface NotArrivedProps {
  status: string;
  hasEnded: boolean;
  recipient: ReturnType<typeof useSentMessage>['recipient'];
}

function NotArrived({ status, hasEnded, recipient }: NotArrivedProps) {
  const reply = recipient?.smtp?.text;
  return (
    <>
      {hasEnded ? (
        <Step state="failed">{ENDS[status] ?? `The email is ${status}.`}</Step>
      ) : (
        <Waiting hasBeenTried={Boolean(recipient?.attempts)} />
      )}
      {reply && (
        <Alert color={hasEnded ? 'red' : 'yellow'} title="Server reply" className="break">
          {reply}
        </Alert>
      )}
    </>
  );
}

const Waiting = ({ hasBeenTried }: { hasBeenTried: boolean }) =>
  hasBeenTried ? (
    <Step state="waiting">Not delivered yet. It will be retried automatically.</Step>
  ) : (
    <Step state="running">Sending …</Step>
  );

interface Arrival {
  isCaptured: boolean;
  isSimulated: boolean;
  mx: string | null | undefined;
}

function arrivalOf({ isCaptured, isSimulated, mx }: Arrival): string {
  if (isSimulated) return 'Delivered by the simulator';
  if (isCaptured) return 'Captured';
  return mx ? `Delivered to ${mx}` : 'Delivered';
}

interface StepProps {
  state: 'done' | 'running' | 'waiting' | 'failed';
  children: string;
}

const COLORS = { done: 'teal', running: 'blue', waiting: 'yellow', failed: 'red' } as const;

function Step({ state, children }: StepProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <ThemeIcon size={22} radius="xl" color={COLORS[state]} variant={state === 'running' ? 'light' : 'filled'}>
        {state === 'done' && <IconCheck size={14} />}
        {state === 'failed' && <IconX size={14} />}
        {state === 'waiting' && <IconClock size={14} />}
        {state === 'running' && <Loader size={12} />}
      </ThemeIcon>
      <Text size="sm">{children}</Text>
    </Group>
  );
}

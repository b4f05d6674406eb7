import { Alert, Badge, Button, Card, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { Facts, type Fact } from '../../components/facts.tsx';
import { Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { Copyable, ExactTime, formatNumber, formatRate, Status } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { AboutRates, RateFigure } from '../../components/rate-figure.tsx';
import { BOUNCE_LIMITS, COMPLAINT_LIMITS, DELIVERY_LIMITS, UNKNOWN_RATES } from '../../components/rates.ts';
import { useChange } from '../../components/use-change.ts';
import {
  InviteOwnerDocument,
  OperatorAccountDocument,
  ResumeAccountDocument,
  SetAccountPlanDocument,
  SetAccountStandingDocument,
  type AbuseLimitsPartsFragment,
  type AccountStanding,
  type OperatorAccountPartsFragment,
} from '../../graphql/generated.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { Penalised, PenaltyPoolButton, poolLabel } from './account-pool.tsx';
import { Invited, PlanInput, planOf } from './create-account-form.tsx';
import { planLabel, rateColors } from './rates.ts';

type Account = OperatorAccountPartsFragment;

export function OperatorAccountPage() {
  const { id = '' } = useParams();
  const { data, error, refresh } = useFreshQuery(OperatorAccountDocument, { id });
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  const { account, abuseLimits } = data.operator;
  if (account === null) return <NotFoundPage />;
  return (
    <Page
      title={account.name}
      parent={{ label: 'Accounts', path: '/operator/accounts' }}
      description={
        <Group gap="xs">
          <Status value={account.status} />
          {account.isFirst && (
            <Badge variant="light" tt="none">
              operates this service
            </Badge>
          )}
          <Copyable value={account.id} label="Copy account ID" />
        </Group>
      }
      actions={<Actions account={account} hasPenaltyPool={abuseLimits.hasPenaltyPool} />}
    >
      {account.pause && <Paused account={account} pause={account.pause} />}
      {account.penalty && <Penalised account={account} penalty={account.penalty} />}
      <Figures account={account} />
      <AccountFacts account={account} limits={abuseLimits} />
    </Page>
  );
}

function Actions({ account, hasPenaltyPool }: { account: Account; hasPenaltyPool: boolean }) {
  const { id, name, standing, plan, isFirst } = account;
  const setStanding = useOperation(SetAccountStandingDocument);
  const [busy, change] = useChange();
  const [opened, { open, close }] = useDisclosure();
  const set = (next: AccountStanding) => () => setStanding({ id, standing: next }).then(() => undefined);
  const ask = (next: AccountStanding, words: { title: string; text: string; button: string; done: string }) =>
    confirm({
      title: words.title,
      text: words.text,
      confirm: words.button,
      run: async () => {
        await set(next)();
        notifyDone(words.done);
      },
    });
  return (
    <>
      <Button variant="default" onClick={open}>
        Change plan
      </Button>
      {hasPenaltyPool && account.penalty === null && <PenaltyPoolButton account={account} />}
      <Button variant="default" onClick={() => inviteOwner(id)}>
        Invite owner
      </Button>
      {standing !== 'active' && (
        <Button loading={busy} onClick={() => change(set('active'), `${name} is active again.`)}>
          {standing === 'blocked' ? 'Unblock' : 'Payment settled'}
        </Button>
      )}
      {standing === 'active' && !isFirst && (
        <>
          <Button
            variant="default"
            onClick={() =>
              ask('overdue', {
                title: `Mark the payment of ${name} as overdue?`,
                text: 'All requests of the account are refused with 403 until the payment is settled. Accepted mail is held. Nothing is deleted.',
                button: 'Mark as overdue',
                done: `${name} is overdue.`,
              })
            }
          >
            Payment overdue
          </Button>
          <Button
            color="red"
            variant="light"
            onClick={() =>
              ask('blocked', {
                title: `Block ${name}?`,
                text: 'All requests of the account are refused with 403 within a second, and its members see no data. Accepted mail is held. Nothing is deleted.',
                button: 'Block',
                done: `${name} is blocked.`,
              })
            }
          >
            Block
          </Button>
        </>
      )}
      <Modal opened={opened} onClose={close} title={`Plan of ${name}`}>
        <PlanForm id={id} plan={plan} close={close} />
      </Modal>
    </>
  );
}

const inviteOwner = (id: string): string =>
  modals.open({
    title: 'Invite an owner',
    children: <InviteOwnerForm id={id} close={modals.closeAll} />,
  });

function InviteOwnerForm({ id, close }: { id: string; close: () => void }) {
  const invite = useOperation(InviteOwnerDocument);
  const [email, setEmail] = useState('');
  const [invited, setInvited] = useState<string | null>(null);
  if (invited !== null)
    return (
      <Stack>
        <Text size="sm">
          <Invited email={invited} />
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    );
  const save = async () => {
    await invite({ id, email });
    setInvited(email);
  };
  return (
    <DialogForm action="Invite" save={save}>
      <FormField name="email">
        <TextInput
          label="Email"
          type="email"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </FormField>
    </DialogForm>
  );
}

function PlanForm({ id, plan, close }: { id: string; plan: string; close: () => void }) {
  const setPlan = useOperation(SetAccountPlanDocument);
  const isNumber = /^\d+$/.test(plan);
  const [next, setNext] = useState({
    kind: isNumber ? ('number' as const) : (plan as 'free' | 'unlimited'),
    units: isNumber ? Number(plan) : 50_000,
  });
  const save = async () => {
    await setPlan({ id, plan: planOf(next) });
    notifyDone('The plan has been changed.');
    close();
  };
  return (
    <DialogForm action="Save" save={save}>
      <Text size="sm" c="dimmed">
        Usage counted this month remains. The warnings at 80 and 100% start again with the new limit.
      </Text>
      <PlanInput plan={next} onChange={setNext} />
    </DialogForm>
  );
}

function Paused({ account: { id, name }, pause }: { account: Account; pause: NonNullable<Account['pause']> }) {
  const resume = useOperation(ResumeAccountDocument);
  const { reason, pausedAt, recipients, hardBounces, complaints, limitPercent } = pause;
  const count = reason === 'bounces' ? hardBounces : complaints;
  const ask = () =>
    confirm({
      title: `Resume sending for ${name}?`,
      text: `${formatNumber(count)} of ${formatNumber(recipients)} recipients ${reason === 'bounces' ? 'bounced' : 'complained'}, above the limit of ${limitPercent}%. The account can send again at once, and its rates restart at zero.`,
      confirm: 'Resume sending',
      keep: 'Keep paused',
      run: async () => {
        await resume({ id });
        notifyDone(`${name} can send again; its rates restart at zero.`);
      },
    });
  return (
    <Alert color="orange" icon={<IconPlayerPause />} title={`Sending is paused because of ${reason}`}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {formatNumber(count)} of {formatNumber(recipients)} recipients ({formatRate(count, recipients)}; the limit is{' '}
          {limitPercent}%). Since <ExactTime at={pausedAt} />.
        </Text>
        <Button size="xs" color="orange" onClick={ask}>
          Resume sending
        </Button>
      </Group>
    </Alert>
  );
}

function Figures({ account: { usage, acceptedThisMonth, stats } }: { account: Account }) {
  const rates = stats ?? UNKNOWN_RATES;
  const { settled } = rates;
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          name="Used this month"
          value={formatNumber(usage?.used ?? acceptedThisMonth ?? 0)}
          note={usage === null ? 'accepted recipients, unlimited plan' : `of ${formatNumber(usage.limit)}`}
          color={usage !== null && usage.used >= usage.limit ? 'red' : undefined}
        />
        <RateFigure
          name="Delivery rate, 24 h"
          rate={rates.deliveredOfSettled}
          settled={settled}
          limits={DELIVERY_LIMITS}
        />
        <RateFigure name="Bounce rate, 24 h" rate={rates.bouncedOfSettled} settled={settled} limits={BOUNCE_LIMITS} />
        <RateFigure
          name="Complaint rate, 24 h"
          rate={rates.complainedOfSettled}
          settled={settled}
          limits={COMPLAINT_LIMITS}
        />
      </SimpleGrid>
      {stats === null ? (
        <Text size="xs" c="dimmed">
          The statistics cannot be read right now.
        </Text>
      ) : (
        <AboutRates rates={rates} />
      )}
    </Stack>
  );
}

interface AccountFactsProps {
  account: Account;
  limits: AbuseLimitsPartsFragment;
}

function AccountFacts({ account, limits }: AccountFactsProps) {
  const { plan, createdAt, notifyAddresses, members, outcomes } = account;
  const { recipients, hardBounces, complaints } = outcomes;
  const colors = rateColors(outcomes, limits);
  const counted = (count: number, percent: number, color: string | undefined) => (
    <Text span size="sm" c={color}>
      {formatNumber(count)} of {formatNumber(recipients)} recipients in {limits.windowHours} h (
      {formatRate(count, recipients)}, the limit for a pause is {percent}%)
    </Text>
  );
  const facts: Fact[] = [
    ['Plan', planLabel(plan)],
    ['Source pool', poolLabel(account)],
    ['Members', formatNumber(members)],
    ['Hard bounces', counted(hardBounces, account.bounceLimitPercent ?? limits.bouncePercent, colors.bounces)],
    ['Complaints', counted(complaints, account.complaintLimitPercent ?? limits.complaintPercent, colors.complaints)],
    ['Created', <ExactTime key="at" at={createdAt} />],
    ['Notices go to', notifyAddresses.join(', ') || 'nobody'],
  ];
  return (
    <Card withBorder padding="xs">
      <Facts facts={facts} />
    </Card>
  );
}

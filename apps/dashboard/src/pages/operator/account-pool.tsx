import { Alert, Button, Group, Text } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { notifyDone } from '../../components/feedback.tsx';
import { ExactTime, formatNumber } from '../../components/format.tsx';
import {
  SetAccountPoolDocument,
  type AccountPoolChoice,
  type OperatorAccountPartsFragment,
} from '../../graphql/generated.ts';

type Account = OperatorAccountPartsFragment;
type Penalty = NonNullable<Account['penalty']>;

const CHOICES: Record<
  AccountPoolChoice,
  { title: (name: string) => string; text: string; button: string; done: string }
> = {
  penalty: {
    title: (name) => `Move ${name} to the penalty pool?`,
    text: 'Its emails leave from the addresses of the penalty pool within a second, until you move it back. Its owner is told.',
    button: 'Move to penalty pool',
    done: 'leaves from the penalty pool.',
  },
  default: {
    title: (name) => `Move ${name} to the usual addresses?`,
    text: 'Its emails leave from the addresses of all accounts within a second, whatever its rates are, until you change that. Its owner is told.',
    button: 'Move to usual addresses',
    done: 'leaves from the usual addresses.',
  },
  auto: {
    title: (name) => `Let the limits decide about ${name}?`,
    text: 'It is moved to the penalty pool when it exceeds a limit, and back after some days within all limits.',
    button: 'Let the limits decide',
    done: 'is moved by the limits.',
  },
};

/** Returns a function that asks for confirmation and decides about the pool. */
function useAccountPool({ id, name }: Account) {
  const setPool = useOperation(SetAccountPoolDocument);
  return (pool: AccountPoolChoice) => {
    const { title, text, button, done } = CHOICES[pool];
    confirm({
      title: title(name),
      text,
      confirm: button,
      run: async () => {
        await setPool({ id, pool });
        notifyDone(`${name} ${done}`);
      },
    });
  };
}

export function PenaltyPoolButton({ account }: { account: Account }) {
  const ask = useAccountPool(account);
  return (
    <Button variant="default" onClick={() => ask('penalty')}>
      Move to penalty pool
    </Button>
  );
}

export function Penalised({ account, penalty }: { account: Account; penalty: Penalty }) {
  const ask = useAccountPool(account);
  const isAutomatic = account.poolChoice === 'auto';
  return (
    <Alert color="orange" icon={<IconRoute />} title="Emails leave from the penalty pool">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {reasonOf(penalty)} Since <ExactTime at={penalty.since} />.{' '}
          {isAutomatic && `Clean days so far: ${penalty.cleanDays.length}.`}
        </Text>
        <Group gap="xs">
          {!isAutomatic && (
            <Button size="xs" variant="default" onClick={() => ask('auto')}>
              Let the limits decide
            </Button>
          )}
          <Button size="xs" color="orange" onClick={() => ask('default')}>
            Move to usual addresses
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}

function reasonOf({ reason, recipients, hardBounces, complaints, blocks, limitPercent }: Penalty): string {
  const limit = limitPercent === null ? '' : `; the limit is ${limitPercent}%`;
  switch (reason) {
    case 'bounces':
      return `${formatNumber(hardBounces)} of ${formatNumber(recipients)} recipients bounced${limit}.`;
    case 'complaints':
      return `${formatNumber(complaints)} of ${formatNumber(recipients)} recipients complained${limit}.`;
    case 'blocks':
      return `Servers refused or deferred emails as unwanted ${formatNumber(blocks)} times, with ${formatNumber(recipients)} recipients${limit}.`;
    default:
      return 'The operator moved the account.';
  }
}

export const poolLabel = ({ poolChoice, penalty }: Account): string =>
  `${penalty === null ? 'usual addresses' : 'penalty pool'}, ${poolChoice === 'auto' ? 'decided by the limits' : 'decided by the operator'}`;

import { Alert, Anchor, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { formatNumber, Time } from '../../components/format.tsx';
import { FailingWebhooksDocument } from '../../graphql/generated.ts';
import { hostOf, stateOf } from '../webhooks/state.ts';

const EVERY_MS = 30_000;
const SHOWN = 3;

/** Endpoints for which no call has succeeded since some time. */
export function FailingWebhooks() {
  const { data } = useFreshQuery(FailingWebhooksDocument, {}, EVERY_MS);
  const failing = data?.webhooks.filter((webhook) => stateOf(webhook) === 'failing') ?? [];
  if (failing.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle />} title="Calls of webhooks are failing">
      {failing.slice(0, SHOWN).map(({ id, url, failingSince, figures: { pending } }) => (
        <Text key={id} size="sm" className="break">
          <Anchor component={Link} to={`/webhooks/${id}`} size="sm" underline="always">
            {hostOf(url)}
          </Anchor>{' '}
          has been failing since <Time at={failingSince} />; {formatNumber(pending)}{' '}
          {pending === 1 ? 'event waits' : 'events wait'}.
        </Text>
      ))}
      {failing.length > SHOWN && (
        <Anchor component={Link} to="/webhooks" size="sm">
          and {formatNumber(failing.length - SHOWN)} more
        </Anchor>
      )}
    </Alert>
  );
}

import { Alert, Anchor, Text } from '@mantine/core';
import { IconAlertTriangle, IconBan } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useFreshQuery } from '../api/use-fresh-query.ts';
import { byBlockList, refusalOf } from '../components/blocks.ts';
import { formatNumber, Time } from '../components/format.tsx';
import { OperatorNoticesDocument, type OperatorNoticesQuery } from '../graphql/generated.ts';

const EVERY_MS = 30_000;
/** The page itself comes first. */
const DELAY_MS = 1_500;
/** The page that says it in detail. */
const DETAILS = '/operator';

/** Tells operators on every page that our address is on a block list, or that the service cannot do its work. */
export function OperatorNotices() {
  const [isDue, setDue] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => {
    const timer = window.setTimeout(() => setDue(true), DELAY_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return isDue && pathname !== DETAILS ? <Notices /> : null;
}

function Notices() {
  const { data } = useFreshQuery(OperatorNoticesDocument, {}, EVERY_MS);
  if (!data) return null;
  const { health, throttles } = data.operator;
  return (
    <>
      <Problems problems={health.problems} />
      <Blocks throttles={throttles} />
    </>
  );
}

type Operator = OperatorNoticesQuery['operator'];

/** The critical ones. Parts that are not ready have a notice of their own, for everybody. */
function Problems({ problems }: { problems: Operator['health']['problems'] }) {
  const shown = problems.filter(({ kind, severity }) => severity === 'critical' && kind !== 'part');
  if (shown.length === 0) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title="The service needs attention">
      {shown.map(({ message, since }) => (
        <Text key={message} size="sm" className="break">
          {message}
          {since && (
            <>
              {' '}
              Since <Time at={since} />.
            </>
          )}
        </Text>
      ))}
      <Details />
    </Alert>
  );
}

function Blocks({ throttles: all }: { throttles: Operator['throttles'] }) {
  return byBlockList(all).lists.map(([list, throttles]) => {
    const queues = new Map(throttles.map(({ queue, waiting }) => [queue, waiting]));
    const waiting = [...queues.values()].reduce((sum, count) => sum + count, 0);
    const first = throttles.reduce((a, b) => (b.since < a.since ? b : a));
    return (
      <Alert key={list} color="orange" icon={<IconBan />} title={refusalOf(list, queues.size)}>
        <Text size="sm" className="break">
          {first.mx === null ? '' : `${first.mx}: `}
          {first.words}
        </Text>
        <Text size="sm">
          Since <Time at={first.since} />. {formatNumber(waiting)}{' '}
          {waiting === 1 ? 'recipient waits' : 'recipients wait'}. <Details />
        </Text>
      </Alert>
    );
  });
}

const Details = () => (
  <Anchor component={Link} to={DETAILS} size="sm">
    State of the service
  </Anchor>
);

import { Alert, Anchor, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useFreshQuery } from '../api/use-fresh-query.ts';
import { byBlockList, refusalOf } from '../components/blocks.ts';
import { formatNumber, Time } from '../components/format.tsx';
import { OperatorBlocksDocument } from '../graphql/generated.ts';

const EVERY_MS = 30_000;
/** The page itself comes first. */
const DELAY_MS = 1_500;
/** The page that says it in detail. */
const DETAILS = '/operator';

/** Tells operators on every page that our address is on a block list. */
export function BlockNotice() {
  const [isDue, setDue] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => {
    const timer = window.setTimeout(() => setDue(true), DELAY_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return isDue && pathname !== DETAILS ? <Blocks /> : null;
}

function Blocks() {
  const { data } = useFreshQuery(OperatorBlocksDocument, {}, EVERY_MS);
  const { lists } = byBlockList(data?.operator.throttles ?? []);
  return lists.map(([list, throttles]) => {
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
          {waiting === 1 ? 'recipient waits' : 'recipients wait'}.{' '}
          <Anchor component={Link} to={DETAILS} size="sm">
            State of the service
          </Anchor>
        </Text>
      </Alert>
    );
  });
}

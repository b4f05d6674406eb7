import { Anchor, Card, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconBulb, IconCheck, IconExclamationCircle, type Icon } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { Failure } from '../../components/feedback.tsx';
import { Copyable } from '../../components/format.tsx';
import {
  DomainAdviceDocument,
  type AdvicePage,
  type AdviceSeverity,
  type DomainAdviceQuery,
  type DomainPartsFragment,
} from '../../graphql/generated.ts';

type Advice = NonNullable<DomainAdviceQuery['domain']>['advice'][number];

const SEVERITIES: Record<AdviceSeverity, { color: string; icon: Icon; label: string }> = {
  critical: { color: 'red', icon: IconExclamationCircle, label: 'Critical' },
  warning: { color: 'yellow', icon: IconAlertTriangle, label: 'Warning' },
  info: { color: 'blue', icon: IconBulb, label: 'Suggestion' },
};

/** About the height of two rows. */
const LOADING_HEIGHT = 96;

/** Advice about the domain, computed by the server. */
export function DomainAdvice({ domain }: { domain: DomainPartsFragment }) {
  const { id } = domain;
  const [{ data, error }, refresh] = useQuery({ query: DomainAdviceDocument, variables: { id } });
  // A check or a setting may have changed the advice.
  const state = JSON.stringify([domain.lastCheckedAt, domain.dkim, domain.openTracking, domain.clickTracking]);
  useEffect(() => refresh({ requestPolicy: 'network-only' }), [state, refresh]);
  if (error && !data) return <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />;
  const advice = data?.domain?.advice;
  return (
    <Card withBorder padding="lg" aria-busy={advice === undefined}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Advice
        </Title>
        {advice?.length === 0 && (
          <Group gap="sm" wrap="nowrap">
            <ThemeIcon color="teal" variant="light" radius="xl">
              <IconCheck size={16} />
            </ThemeIcon>
            <Text size="sm">Nothing to do: records, keys and rates look good.</Text>
          </Group>
        )}
        {advice?.map((one) => (
          <AdviceRow key={one.code + one.message} advice={one} domainId={id} />
        ))}
        {advice === undefined && <Skeleton height={LOADING_HEIGHT} role="status" aria-label="Loading" />}
      </Stack>
    </Card>
  );
}

function AdviceRow({ advice: { severity, message, publish, page }, domainId }: { advice: Advice; domainId: string }) {
  const { color, icon: Symbol, label } = SEVERITIES[severity];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start" data-severity={severity}>
      <ThemeIcon color={color} variant="light" radius="xl" role="img" aria-label={label}>
        <Symbol size={16} />
      </ThemeIcon>
      <Stack gap={4} miw={0} style={{ flex: 1 }}>
        <Text size="sm" className="break" mt={3}>
          {message} {page && <PageLink page={page} domainId={domainId} />}
        </Text>
        {publish && (
          <Group gap="xs" align="center">
            <Text size="xs" c="dimmed">
              {publish.type}
            </Text>
            <Copyable value={publish.name} label={`Copy the name ${publish.name}`} />
            <Copyable value={publish.value} label={`Copy the value of ${publish.name}`} />
          </Group>
        )}
      </Stack>
    </Group>
  );
}

/** The parts of the domain's own page. */
const SECTIONS: Partial<Record<AdvicePage, string>> = {
  records: 'DNS records',
  dkim: 'DKIM key',
  settings: 'Tracking and delivery',
};

function PageLink({ page, domainId }: { page: AdvicePage; domainId: string }) {
  const section = SECTIONS[page];
  if (section !== undefined)
    return (
      <Anchor href={`#${page}`} size="sm" underline="always">
        {section}
      </Anchor>
    );
  return (
    <Anchor component={Link} to={`/statistics?domain=${domainId}`} size="sm" underline="always">
      Statistics
    </Anchor>
  );
}

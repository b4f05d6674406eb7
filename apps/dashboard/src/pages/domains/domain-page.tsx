import { Alert, Button, Card, Group, List, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconKey, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useClient, useQuery, useSubscription } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { confirmByName } from '../../components/confirm.tsx';
import { Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { Copyable, ExactTime, formatNumber, Status, Time } from '../../components/format.tsx';
import { help } from '../../components/help.tsx';
import { Page } from '../../components/page.tsx';
import { AboutRates, RateFigure } from '../../components/rate-figure.tsx';
import { BOUNCE_LIMITS, COMPLAINT_LIMITS, DELIVERY_LIMITS, UNKNOWN_RATES } from '../../components/rates.ts';
import { useChange } from '../../components/use-change.ts';
import { useSaved } from '../../components/use-saved.ts';
import { DOMAIN_FIELDS } from '../../generated/constants.ts';
import {
  ApiKeysDocument,
  CancelDomainKeyRotationDocument,
  DeleteDomainDocument,
  DomainDocument,
  DomainLiveDocument,
  DomainRatesDocument,
  RotateDomainKeyDocument,
  UpdateDomainDocument,
  VerifyDomainDocument,
  type DkimRotationStatus,
  type DomainPartsFragment,
  type UpdateDomainInput,
} from '../../graphql/generated.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { DomainAdvice } from './domain-advice.tsx';
import { DomainRecords } from './domain-records.tsx';
import { DomainRetention } from './domain-retention.tsx';
import { ExcludedLinks } from './excluded-links.tsx';

/** Polling intervals: until the records are verified, and during a check. */
const WAITING_MS = 10_000;
const CHECKING_MS = 1_000;
const RATES_EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
/** The service ends a check after 20 s. */
const CHECK_ATTEMPTS = 25;

export function DomainPage() {
  const { id = '' } = useParams();
  const { data, error, fetching, reload } = useDomain(id);
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return fetching ? <Loading /> : null;
  if (!data.domain) return <NotFoundPage />;
  const { domain } = data;
  return (
    <Page
      title={domain.name}
      parent={{ label: 'Domains', path: '/domains' }}
      description={
        <Group gap="xs">
          <Status value={domain.status} />
          <Copyable value={domain.id} label="Copy ID" />
          {domain.lastCheckedAt && (
            <span>
              checked <Time at={domain.lastCheckedAt} />
            </span>
          )}
        </Group>
      }
      actions={<Actions domain={domain} />}
    >
      {domain.warningSince && (
        <Alert color="yellow" icon={<IconAlertTriangle />} title="DNS records are missing">
          Required records of this active domain have been missing since <ExactTime at={domain.warningSince} />. Emails
          are still sent; restore the records before the domain is deactivated.
        </Alert>
      )}
      {domain.status === 'failed' && (
        <Alert color="red" icon={<IconAlertTriangle />} title="Nothing can be sent from this domain">
          Required records are missing. Emails from this domain are refused until they are found; DNS is asked once a
          day, and when you choose Verify now.
        </Alert>
      )}
      {isVouched(domain) && (
        <Alert color="gray" title="Records are not checked">
          The operator vouches for this domain, so it may send whether its records are published or not. Receivers look
          them up all the same.
        </Alert>
      )}
      <LiveNumbers id={domain.id} />
      <DomainAdvice domain={domain} />
      <DomainRecords domain={domain} />
      <Settings domain={domain} />
      <DomainRetention domain={domain} />
      <KeyRotation domain={domain} />
    </Page>
  );
}

const isVouched = ({ records }: DomainPartsFragment): boolean => records.some(({ status }) => status === 'vouched');

/** The domain, polled until it is active. */
function useDomain(id: string) {
  const { data, error, fetching, refresh: reload } = useFreshQuery(DomainDocument, { id });
  const status = data?.domain?.status;
  const waits = status !== undefined && status !== 'active';
  useEffect(() => {
    if (!waits) return undefined;
    const timer = window.setInterval(reload, WAITING_MS);
    return () => window.clearInterval(timer);
  }, [waits, reload]);
  return { data, error, fetching, reload };
}

function Actions({ domain }: { domain: DomainPartsFragment }) {
  const { id, name } = domain;
  const { may } = useSession();
  const navigate = useNavigate();
  const verify = useVerification(id);
  const remove = useOperation(DeleteDomainDocument);
  const [busy, change] = useChange();
  if (!may('domains.write')) return null;
  return (
    <>
      {!isVouched(domain) && (
        <Button
          leftSection={<IconRefresh size={16} />}
          loading={busy}
          onClick={() => change(verify, 'The records have been checked.')}
        >
          Verify now
        </Button>
      )}
      <Button
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} />}
        onClick={() =>
          confirmByName({
            title: `Delete ${name}?`,
            name,
            text: <Consequences domain={domain} />,
            confirm: 'Delete domain',
            run: async () => {
              await remove({ id });
              notifyDone(`${name} has been deleted.`);
              await navigate('/domains');
            },
          })
        }
      >
        Delete
      </Button>
    </>
  );
}

function Consequences({ domain: { id } }: { domain: DomainPartsFragment }) {
  const { may } = useSession();
  const [{ data }] = useQuery({ query: ApiKeysDocument, pause: !may('api_keys.read') });
  const limited = data?.apiKeys.filter(({ domainIds }) => domainIds?.includes(id)) ?? [];
  const alone = limited.filter(({ domainIds }) => domainIds?.length === 1).length;
  return (
    <List size="sm" spacing={4}>
      <List.Item>Emails that wait for delivery fail, and nothing can be sent from this domain.</List.Item>
      <List.Item>
        Its DKIM key is deleted. If you add the domain again, you must publish new DNS records before you can send.
      </List.Item>
      {limited.length > 0 && <List.Item>{keysSentence(limited.length, alone)}</List.Item>}
    </List>
  );
}

function keysSentence(limited: number, alone: number): string {
  const keys = limited === 1 ? '1 API key is' : `${formatNumber(limited)} API keys are`;
  if (alone === 0) return `${keys} limited to domains that include this one.`;
  const others = alone === limited ? '' : `; ${formatNumber(alone)} of them to no other`;
  return `${keys} limited to ${alone === limited ? 'this domain alone' : 'domains that include this one'}${others}. A key without a domain can send nothing.`;
}

/** Starts a check, and polls until it has ended: the response contains the results of the previous check. */
function useVerification(id: string): () => Promise<void> {
  const client = useClient();
  const verify = useOperation(VerifyDomainDocument);
  return async () => {
    const { lastCheckedAt: before } = (await verify({ id })).verifyDomain;
    for (let attempt = 0; attempt < CHECK_ATTEMPTS; attempt += 1) {
      await new Promise((resolve) => window.setTimeout(resolve, CHECKING_MS));
      const { data } = await client.query(DomainDocument, { id }, { requestPolicy: 'network-only' }).toPromise();
      if (data?.domain?.lastCheckedAt !== before) return;
    }
    throw new Error('The check is taking longer than usual. Its results appear here once it ends.');
  };
}

/** The last 24 hours. Counts are updated by the subscription; rates have none. */
function LiveNumbers({ id }: { id: string }) {
  const [{ data, error }] = useSubscription({ query: DomainLiveDocument, variables: { domainId: id } });
  const input = useMemo(() => ({ domainId: [id], startDate: new Date(Date.now() - DAY_MS).toISOString() }), [id]);
  const { data: found } = useFreshQuery(DomainRatesDocument, { input }, RATES_EVERY_MS);
  if (error) return <Failure error={error} />;
  const counts = data?.domainStats;
  const rates = found?.stats.totals ?? UNKNOWN_RATES;
  const { settled } = rates;
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, sm: 5 }} aria-label="The last 24 hours">
        <Figure name="Accepted, 24 h" value={counts ? formatNumber(counts.accepted) : '–'} />
        <Figure name="Delivered, 24 h" value={counts ? formatNumber(counts.delivered) : '–'} />
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
      <AboutRates rates={rates} />
    </Stack>
  );
}

function Settings({ domain }: { domain: DomainPartsFragment }) {
  const { may } = useSession();
  const update = useOperation(UpdateDomainDocument);
  const { save: saveOf, refusalOf } = useSaved();
  const save = (name: string, label: string, input: UpdateDomainInput) =>
    saveOf({ name, label }, () => update({ id: domain.id, input }));
  // Not while a change is running: a control that is disabled loses the focus.
  const disabled = !may('domains.write');
  return (
    <Card withBorder padding="lg" id="settings">
      <Stack>
        <Title order={2} size="h4">
          Tracking and delivery
        </Title>
        <Switch
          label="Track opens"
          description={help(DOMAIN_FIELDS.openTracking.help)}
          disabled={disabled}
          checked={domain.openTracking}
          error={refusalOf('openTracking')}
          onChange={(event) => save('openTracking', 'Track opens', { openTracking: event.currentTarget.checked })}
        />
        <Switch
          label="Track clicks"
          description={help(DOMAIN_FIELDS.clickTracking.help)}
          disabled={disabled}
          checked={domain.clickTracking}
          error={refusalOf('clickTracking')}
          onChange={(event) => save('clickTracking', 'Track clicks', { clickTracking: event.currentTarget.checked })}
        />
        <Switch
          label="Privacy mode"
          description={help(DOMAIN_FIELDS.trackingPrivacy.help)}
          disabled={disabled}
          checked={domain.trackingPrivacy}
          error={refusalOf('trackingPrivacy')}
          onChange={(event) =>
            save('trackingPrivacy', 'Privacy mode', { trackingPrivacy: event.currentTarget.checked })
          }
        />
        <ExcludedLinks domain={domain} disabled={disabled} />
        <Group grow preventGrowOverflow={false}>
          <Select
            label="TLS"
            description={help(DOMAIN_FIELDS.tls.help)}
            allowDeselect={false}
            disabled={disabled}
            data={DOMAIN_FIELDS.tls.words}
            value={domain.tls}
            error={refusalOf('tls')}
            onChange={(tls) => tls && save('tls', 'TLS', { tls })}
          />
          <Select
            label="Envelope"
            description={help(DOMAIN_FIELDS.envelope.help)}
            allowDeselect={false}
            disabled={disabled}
            data={DOMAIN_FIELDS.envelope.words}
            value={domain.envelope}
            error={refusalOf('envelope')}
            onChange={(envelope) => envelope && save('envelope', 'Envelope', { envelope })}
          />
        </Group>
      </Stack>
    </Card>
  );
}

const ROTATIONS: Record<DkimRotationStatus, string> = {
  pending:
    'A new key is waiting for its DNS record. Publish the record above; signing switches to the new key once it is verified.',
  verified: 'The record of the new key is verified. Signing switches to it shortly.',
  switched: 'Signing has switched to the new key.',
};

function KeyRotation({ domain }: { domain: DomainPartsFragment }) {
  const { may } = useSession();
  const rotate = useOperation(RotateDomainKeyDocument);
  const cancel = useOperation(CancelDomainKeyRotationDocument);
  const [busy, change] = useChange();
  const { rotation, signingSince } = domain.dkim;
  return (
    <Card withBorder padding="lg" id="dkim">
      <Stack>
        <Title order={2} size="h4">
          DKIM key
        </Title>
        <Text size="sm">
          {signingSince ? (
            <>
              Emails have been signed with the current key since <ExactTime at={signingSince} />.
            </>
          ) : (
            'No email has been signed with the current key yet.'
          )}
        </Text>
        {rotation && (
          <Text size="sm">
            {ROTATIONS[rotation.status]}
            {rotation.keepOldUntil && (
              <>
                {' '}
                Keep the old record until <ExactTime at={rotation.keepOldUntil} />.
              </>
            )}
          </Text>
        )}
        {may('domains.write') && (
          <Group>
            {rotation ? (
              <Button
                variant="default"
                loading={busy}
                onClick={() =>
                  change(async () => void (await cancel({ id: domain.id })), 'The rotation has been canceled.')
                }
              >
                Cancel rotation
              </Button>
            ) : (
              <Button
                variant="default"
                leftSection={<IconKey size={16} />}
                loading={busy}
                onClick={() =>
                  change(
                    async () => void (await rotate({ id: domain.id })),
                    'A new key has been created. Publish its record.',
                  )
                }
              >
                Rotate key
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Card>
  );
}

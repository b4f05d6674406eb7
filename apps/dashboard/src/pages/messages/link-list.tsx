import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconLink } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { Copyable } from '../../components/format.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { useChange } from '../../components/use-change.ts';
import { isWebLink, looksLikeAnotherHost, type MessageLink } from './links.ts';

interface LinkResult {
  url: string;
  status: number | null;
  failure: string | null;
  redirected_to: string | null;
}

/** Every link with its target. The service checks them only on request. */
export function LinkList({ emailId, links }: { emailId: string; links: MessageLink[] }) {
  const { may } = useSession();
  const [results, setResults] = useState<Map<string, LinkResult>>(new Map());
  const [busy, change] = useChange();
  if (links.length === 0) return <Text size="sm">This message has no links.</Text>;
  const check = async () => {
    const { data } = await call<{ data: LinkResult[] }>('POST', `/app/message/${emailId}/link-check`);
    setResults(new Map(data.map((result) => [result.url, result])));
  };
  const fields: Field<MessageLink>[] = [
    { title: 'Text', render: ({ text }) => text || '–', maxWidth: 220 },
    { title: 'Target', render: (link) => <Target link={link} /> },
    {
      title: 'Response',
      render: ({ url }) => <Answer url={url} result={results.get(url)} checked={results.size > 0} />,
    },
  ];
  const web = links.filter(isWebLink).length;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {links.length} {links.length === 1 ? 'link' : 'links'}, {web} of them web links
        </Text>
        {may('emails.send') && web > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconLink size={14} />}
            loading={busy}
            onClick={() => change(check)}
          >
            Check links
          </Button>
        )}
      </Group>
      {results.size === 0 && (
        <Text size="xs" c="dimmed">
          A check sends one HEAD request to each address from the server; nothing is opened or clicked.
        </Text>
      )}
      <DataTable label="Links" fields={fields} rows={links} keyOf={({ url }, index) => `${index} ${url}`} />
    </Stack>
  );
}

function Target({ link }: { link: MessageLink }) {
  return (
    <>
      <Copyable value={link.url} label="Copy the target" />
      {looksLikeAnotherHost(link) && (
        <Alert color="red" icon={<IconAlertTriangle />} p="xs" mt={4}>
          The text shows a different host than the target.
        </Alert>
      )}
    </>
  );
}

const FAILURES: Record<string, string> = {
  target_refused: 'not checked: not a public address',
  name_unresolved: 'host not found',
  timeout: 'timed out',
  tls_failed: 'invalid certificate',
  connection_failed: 'connection failed',
  too_many_redirects: 'too many redirects',
  busy: 'not checked: too many other requests',
};

function Answer({ url, result, checked }: { url: string; result: LinkResult | undefined; checked: boolean }) {
  if (result === undefined)
    return (
      <Text size="sm" c="dimmed">
        {checked && isWebLink({ url, text: '' }) ? 'not checked' : '–'}
      </Text>
    );
  const { status, failure, redirected_to: target } = result;
  // Some servers refuse HEAD, but they respond.
  const isFine = status !== null && (status < 400 || status === 405 || status === 501);
  return (
    <>
      <Badge color={isFine ? 'teal' : 'red'} variant="light" tt="none" miw="max-content">
        {failure === null ? `${status} ${isFine ? 'reachable' : 'broken'}` : (FAILURES[failure] ?? failure)}
      </Badge>
      {target !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          after a redirect to {target}
        </Text>
      )}
    </>
  );
}

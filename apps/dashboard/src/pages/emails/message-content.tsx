import { Card, Code, SegmentedControl, Stack, Table, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import type { EmailQuery } from '../../graphql/generated.ts';

type Email = NonNullable<EmailQuery['email']>;

const WIDTHS = { Desktop: '100%', Phone: '375px' };

/** HTML, text, header fields of a message, each as far as it is kept. */
export function MessageContent({ email }: { email: Email }) {
  const { html, text, headers, id } = email;
  if (html === null && text === null)
    return (
      <Card withBorder>
        <Text c="dimmed" size="sm">
          The content of this message is not kept any more, or it was submitted over SMTP as a whole.
        </Text>
      </Card>
    );
  return (
    <Card withBorder>
      <Tabs defaultValue={html === null ? 'text' : 'html'}>
        <Tabs.List mb="md">
          {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
          {text !== null && <Tabs.Tab value="text">Text</Tabs.Tab>}
          {html !== null && <Tabs.Tab value="source">HTML source</Tabs.Tab>}
          {headers.length > 0 && <Tabs.Tab value="headers">Headers</Tabs.Tab>}
        </Tabs.List>
        {html !== null && (
          <Tabs.Panel value="html">
            <MessageFrame emailId={id} />
          </Tabs.Panel>
        )}
        {text !== null && (
          <Tabs.Panel value="text">
            <Code block className="break" style={{ whiteSpace: 'pre-wrap' }}>
              {text}
            </Code>
          </Tabs.Panel>
        )}
        {html !== null && (
          <Tabs.Panel value="source">
            <Code block mah={520} className="break" style={{ whiteSpace: 'pre-wrap', overflow: 'auto' }}>
              {html}
            </Code>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="headers">
          <Table>
            <Table.Tbody>
              {headers.map(({ name, value }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td className="break">{value}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

/** The HTML of a message as a document of its own, without scripts, forms and remote content. */
export function MessageFrame({ emailId }: { emailId: string }) {
  const { account } = useSession();
  const [width, setWidth] = useState<keyof typeof WIDTHS>('Desktop');
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        w={180}
        data={Object.keys(WIDTHS)}
        value={width}
        onChange={(value) => setWidth(value as keyof typeof WIDTHS)}
        aria-label="Width of the preview"
      />
      <iframe
        title="Message"
        sandbox=""
        src={`/app/message/${emailId}?x-account-id=${account.id}`}
        style={{
          width: WIDTHS[width],
          maxWidth: '100%',
          height: 520,
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 8,
          background: '#fff',
        }}
      />
    </Stack>
  );
}

import { Anchor, Badge, Button, Code, Group, Stack, Table, Tabs, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconDownload, IconInfoCircle, IconPaperclip } from '@tabler/icons-react';
import { useMemo, type ReactNode } from 'react';
import type { Loaded } from '../../api/use-load.ts';
import { downloadText } from '../../components/download.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { formatBytes, formatNumber } from '../../components/format.tsx';
import { checkMessage, type Check } from './checks.ts';
import { headerFields } from './header-fields.ts';
import { LinkList } from './link-list.tsx';
import { htmlFacts, textLinks, type HtmlFacts } from './links.ts';
import { MessageFrame } from './message-frame.tsx';

export interface ShownMessage {
  emailId: string;
  html: string | null;
  text: string | null;
  createdAt: string;
  attachments: { id: string; filename: string; contentType: string; size: number; downloadUrl: string }[];
  /** The message as one text. */
  source: Loaded<string>;
  /** True if the source is exactly what leaves the service. */
  isFinal: boolean;
}

/** A message as seen by readers, filters and mail programs. */
export function MessageView({ message }: { message: ShownMessage }) {
  const { html, text, emailId, source, attachments } = message;
  const facts = useMemo(() => factsOf(html, text), [html, text]);
  return (
    <Tabs defaultValue={html !== null ? 'html' : text !== null ? 'text' : 'source'} keepMounted={false}>
      <Tabs.List mb="md">
        {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
        {text !== null && <Tabs.Tab value="text">Text</Tabs.Tab>}
        <Tabs.Tab value="checks">Checks</Tabs.Tab>
        <CountedTab value="links" label="Links" count={facts.links.length} />
        {attachments.length > 0 && <CountedTab value="attachments" label="Attachments" count={attachments.length} />}
        <Tabs.Tab value="headers">Headers</Tabs.Tab>
        {html !== null && <Tabs.Tab value="html-source">HTML source</Tabs.Tab>}
        <Tabs.Tab value="source">Source</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <MessageFrame emailId={emailId} facts={facts} />
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <Plain text={text ?? ''} />
      </Tabs.Panel>
      <Tabs.Panel value="checks">
        <WithSource source={source} render={(all) => <Checks message={message} facts={facts} source={all} />} />
      </Tabs.Panel>
      <Tabs.Panel value="links">
        <LinkList emailId={emailId} links={facts.links} />
      </Tabs.Panel>
      <Tabs.Panel value="attachments">
        <Attachments attachments={attachments} />
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <WithSource source={source} render={(all) => <Headers source={all} />} />
      </Tabs.Panel>
      <Tabs.Panel value="html-source">
        <Plain text={html ?? ''} />
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <WithSource source={source} render={(all) => <Source message={message} source={all} />} />
      </Tabs.Panel>
    </Tabs>
  );
}

function CountedTab({ value, label, count }: { value: string; label: string; count: number }) {
  return (
    <Tabs.Tab
      value={value}
      rightSection={
        count > 0 && (
          <Badge size="sm" variant="default" miw="max-content">
            {formatNumber(count)}
          </Badge>
        )
      }
    >
      {label}
    </Tabs.Tab>
  );
}

function factsOf(html: string | null, text: string | null): HtmlFacts {
  if (html !== null) return htmlFacts(html);
  return {
    links: textLinks(text ?? ''),
    remoteImages: 0,
    imagesWithoutText: 0,
    isResponsive: false,
    fixedWidth: 0,
    height: 0,
  };
}

function Plain({ text }: { text: string }) {
  return (
    <Code block mah={560} tabIndex={0} className="break" style={{ whiteSpace: 'pre-wrap', overflow: 'auto' }}>
      {text}
    </Code>
  );
}

function WithSource({ source, render }: { source: Loaded<string>; render: (text: string) => ReactNode }) {
  if (source.error !== null) return <Failure error={source.error} retry={source.reload} />;
  return source.data === null ? <Loading /> : render(source.data);
}

const LEVELS = {
  good: { color: 'teal', icon: IconCheck, word: 'Good' },
  note: { color: 'yellow', icon: IconInfoCircle, word: 'Note' },
  bad: { color: 'red', icon: IconAlertTriangle, word: 'Problem' },
};

function Checks({ message, facts, source }: { message: ShownMessage; facts: HtmlFacts; source: string }) {
  const { html, text, createdAt, isFinal } = message;
  const size = new Blob([source]).size;
  const checks = checkMessage({ fields: headerFields(source), html, text, facts, size, createdAt, isFinal });
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {count('bad')} problems, {count('note')} notes, {count('good')} good. These are the criteria of filters for the
        message itself; the reputation of your domain and IP addresses matters as much.
      </Text>
      {checks.map(({ level, title, text: words }) => {
        const { color, icon: Symbol, word } = LEVELS[level];
        return (
          <Group key={title} gap="sm" wrap="nowrap" align="flex-start">
            <ThemeIcon size={24} radius="xl" variant="light" color={color} aria-label={word}>
              <Symbol size={14} />
            </ThemeIcon>
            <div>
              <Text size="sm" fw={600}>
                {title}
              </Text>
              <Text size="sm" c="dimmed" className="break">
                {words}
              </Text>
            </div>
          </Group>
        );
      })}
    </Stack>
  );
}

function Attachments({ attachments }: Pick<ShownMessage, 'attachments'>) {
  return (
    <Stack gap="xs">
      {attachments.map(({ id, filename, contentType, size, downloadUrl }) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <IconPaperclip size={16} />
          <div>
            <Anchor href={downloadUrl} size="sm" className="break" download>
              {filename}
            </Anchor>
            <Text size="xs" c="dimmed">
              {contentType}, {formatBytes(size)}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  );
}

function Headers({ source }: { source: string }) {
  return (
    <Table layout="fixed">
      <Table.Tbody>
        {headerFields(source).map(({ name, value, meaning }, index) => (
          <Table.Tr key={`${index} ${name}`}>
            <Table.Th w={{ base: 104, sm: 190 }} className="break" style={{ verticalAlign: 'top' }}>
              {name}
            </Table.Th>
            <Table.Td className="break">
              {value}
              {meaning && (
                <Text size="xs" c="dimmed">
                  {meaning}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Source({ message: { emailId, isFinal }, source }: { message: ShownMessage; source: string }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="xs" c="dimmed" flex={1}>
          {isFinal
            ? 'Byte for byte what would have been sent.'
            : 'As stored. Signatures, tracking links and trace fields are added at delivery.'}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => downloadText(`${emailId}.eml`, source, 'message/rfc822')}
        >
          Download
        </Button>
      </Group>
      <Plain text={source} />
    </Stack>
  );
}

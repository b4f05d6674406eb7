import {
  Alert,
  Badge,
  Button,
  FileButton,
  Group,
  List,
  Progress,
  Select,
  SimpleGrid,
  Stack,
  Table,
  Text,
} from '@mantine/core';
import { IconDownload, IconFileText, IconUpload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { downloadText } from '../../components/download.ts';
import { problemOf } from '../../api/problem.ts';
import { formatNumber } from '../../components/format.tsx';
import { CSV_COLUMNS, type CsvColumn } from '../../generated/csv-file.ts';
import { readImportFile, refusedFile, textOf, type ImportFile, type RefusedLine } from './import-file.ts';
import { sendImport, type ImportProgress } from './send-import.ts';

const MAX_BYTES = 50 * 1024 * 1024;
const SHOWN = 5;

type Step =
  | { kind: 'choose'; problem?: string }
  | { kind: 'reading' }
  | { kind: 'preview'; name: string; text: string; file: ImportFile }
  | { kind: 'sending'; file: ImportFile; progress: ImportProgress | null }
  | {
      kind: 'result';
      file: ImportFile;
      progress: ImportProgress;
      end: 'done' | 'canceled' | 'failed';
      problem?: string;
    };

/** Chooses a file, shows what it contains, and imports it in batches. */
export function ImportDialog({ changed, close }: { changed: () => void; close: () => void }) {
  const [step, setStep] = useState<Step>({ kind: 'choose' });
  const canceled = useRef(false);
  // Closing the dialog cancels the import.
  useEffect(
    () => () => {
      canceled.current = true;
    },
    [],
  );
  const read = async (chosen: File | null) => {
    if (!chosen) return;
    if (chosen.size > MAX_BYTES) {
      setStep({ kind: 'choose', problem: 'The file is larger than 50 MiB.' });
      return;
    }
    setStep({ kind: 'reading' });
    const text = await textOf(chosen);
    setStep({ kind: 'preview', name: chosen.name, text, file: await readImportFile(text) });
  };
  const run = async (file: ImportFile) => {
    canceled.current = false;
    let last: ImportProgress = { done: 0, created: 0, existing: 0, refused: [] };
    setStep({ kind: 'sending', file, progress: null });
    try {
      await sendImport(file.lines, {
        isCanceled: () => canceled.current,
        onProgress: (progress) => {
          last = progress;
          setStep({ kind: 'sending', file, progress });
        },
      });
      const end = last.done < file.lines.length ? 'canceled' : 'done';
      setStep({ kind: 'result', file, progress: last, end });
    } catch (error) {
      setStep({ kind: 'result', file, progress: last, end: 'failed', problem: problemOf(error).message });
    }
    changed();
  };
  switch (step.kind) {
    case 'choose':
    case 'reading':
      return (
        <Choose
          problem={step.kind === 'choose' ? step.problem : undefined}
          busy={step.kind === 'reading'}
          read={read}
        />
      );
    case 'preview':
      return (
        <Preview
          {...step}
          read={read}
          run={() => void run(step.file)}
          choose={async (columns) => setStep({ ...step, file: await readImportFile(step.text, { columns }) })}
        />
      );
    case 'sending':
      return (
        <Sending total={step.file.lines.length} progress={step.progress} cancel={() => (canceled.current = true)} />
      );
    case 'result':
      return <Result {...step} close={close} />;
  }
}

interface ChooseProps {
  problem: string | undefined;
  busy: boolean;
  read: (file: File | null) => Promise<void>;
}

function Choose({ problem, busy, read }: ChooseProps) {
  return (
    <Stack>
      <Text size="sm">
        A CSV file whose first line names its columns, or a list with one address per line. Only <b>email</b> is
        required; <b>reason</b>, <b>origin</b>, <b>expires_at</b> and <b>domain_id</b> are read as well, and columns
        with other names by your choice. Nothing is imported until you confirm.
      </Text>
      {problem && <Alert color="red">{problem}</Alert>}
      <Group justify="flex-end">
        <FileChooser label="Choose a file" busy={busy} read={read} />
      </Group>
    </Stack>
  );
}

interface FileChooserProps extends Omit<ChooseProps, 'problem'> {
  label: string;
  variant?: 'default';
}

const FileChooser = ({ label, busy, read, variant }: FileChooserProps) => (
  <FileButton onChange={(file) => void read(file)} accept=".csv,.txt,.tsv,text/csv,text/plain">
    {(props) => (
      <Button {...props} variant={variant} loading={busy} leftSection={<IconFileText size={16} />}>
        {label}
      </Button>
    )}
  </FileButton>
);

interface PreviewProps {
  name: string;
  file: ImportFile;
  read: (file: File | null) => Promise<void>;
  run: () => void;
  /** Reads the file again with these meanings of its columns. */
  choose: (columns: (CsvColumn | null)[]) => Promise<void>;
}

function Preview({ name, file, read, run, choose }: PreviewProps) {
  const { columns, lines, refused, duplicates } = file;
  const hasAddresses = columns.length === 0 || columns.some(({ column }) => column === 'email');
  return (
    <Stack>
      <Text size="sm" fw={600} className="break">
        {name}
      </Text>
      {!hasAddresses && (
        <Alert color="red" title="No column with addresses">
          Choose it below, or name it “email” in the first line.
        </Alert>
      )}
      <Columns columns={columns} choose={choose} />
      {hasAddresses && (
        <Group gap="xs">
          <Count color="teal" count={lines.length} of="valid" />
          <Count color="red" count={refused.length} of="invalid" />
          <Count color="gray" count={duplicates} of={duplicates === 1 ? 'duplicate' : 'duplicates'} />
        </Group>
      )}
      {lines.length > 0 && <FirstLines file={file} />}
      <Refused refused={refused} />
      <Group justify="flex-end">
        <FileChooser label="Choose another file" variant="default" busy={false} read={read} />
        <Button leftSection={<IconUpload size={16} />} disabled={lines.length === 0} onClick={run}>
          Import {formatNumber(lines.length)} {lines.length === 1 ? 'address' : 'addresses'}
        </Button>
      </Group>
    </Stack>
  );
}

const LABELS: Record<CsvColumn, string> = {
  email: 'Address',
  reason: 'Reason',
  origin: 'Origin',
  expires_at: 'Expires',
  domain_id: 'Domain ID',
};

/** The first lines, with the columns that are read. */
function FirstLines({ file: { columns, lines } }: Pick<PreviewProps, 'file'>) {
  const shown = CSV_COLUMNS.filter((name) => name === 'email' || columns.some(({ column }) => column === name));
  return (
    <Table aria-label="The first lines">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={60}>Line</Table.Th>
          {shown.map((column) => (
            <Table.Th key={column}>{LABELS[column]}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.slice(0, SHOWN).map(({ line, cells }) => (
          <Table.Tr key={line}>
            <Table.Td>{line}</Table.Td>
            {shown.map((column) => (
              <Table.Td key={column} className="break">
                {cells[column] ?? ''}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The meaning of each column, which can be chosen. A column that is read twice is read from the one chosen last. */
function Columns({ columns, choose }: Pick<ImportFile, 'columns'> & Pick<PreviewProps, 'choose'>) {
  if (columns.length === 0) return <Text size="sm">A list of addresses without column names.</Text>;
  const chosen = (at: number, next: CsvColumn | null) =>
    columns.map(({ column }, i) => (i === at ? next : column === next ? null : column));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="xs" role="group" aria-label="Columns">
      {columns.map(({ title, column }, i) => (
        <Select
          key={i}
          size="xs"
          label={title || `Column ${i + 1}`}
          placeholder="Ignored"
          clearable
          data={CSV_COLUMNS.map((value) => ({ value, label: LABELS[value] }))}
          value={column}
          onChange={(next) => void choose(chosen(i, next))}
        />
      ))}
    </SimpleGrid>
  );
}

const Count = ({ color, count, of }: { color: string; count: number; of: string }) => (
  <Badge color={count > 0 ? color : 'gray'} variant="light" size="lg" tt="none">
    {formatNumber(count)} {of}
  </Badge>
);

function Sending({ total, progress, cancel }: { total: number; progress: ImportProgress | null; cancel: () => void }) {
  const [isStopping, setStopping] = useState(false);
  const done = progress?.done ?? 0;
  return (
    <Stack>
      <Progress value={(done / total) * 100} aria-label="Progress of the import" />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {formatNumber(done)} of {formatNumber(total)}
        </Text>
        <Button
          variant="default"
          loading={isStopping}
          onClick={() => {
            setStopping(true);
            cancel();
          }}
        >
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

interface ResultProps extends Omit<Extract<Step, { kind: 'result' }>, 'kind'> {
  close: () => void;
}

const TITLES = {
  done: { color: 'teal', title: 'The file has been imported.' },
  canceled: { color: 'yellow', title: 'The import was canceled. Entries imported before remain.' },
  failed: { color: 'red', title: 'The import ended early. Entries imported before remain.' },
} as const;

function Result({ file, progress, end, problem, close }: ResultProps) {
  const refused = [...file.refused, ...progress.refused].toSorted((a, b) => a.line - b.line);
  const left = file.lines.length - progress.done;
  return (
    <Stack>
      <Alert {...TITLES[end]}>{problem}</Alert>
      <List size="sm">
        <List.Item>{formatNumber(progress.created)} new</List.Item>
        <List.Item>{formatNumber(progress.existing)} already existed</List.Item>
        {file.duplicates > 0 && <List.Item>{formatNumber(file.duplicates)} repeated in the file</List.Item>}
        <List.Item>{formatNumber(refused.length)} refused</List.Item>
        {left > 0 && <List.Item>{formatNumber(left)} not sent</List.Item>}
      </List>
      <Refused refused={refused} />
      <Group justify="flex-end">
        {refused.length > 0 && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => downloadText('refused-lines.csv', refusedFile(refused), 'text/csv')}
          >
            Refused lines
          </Button>
        )}
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}

function Refused({ refused }: { refused: RefusedLine[] }) {
  if (refused.length === 0) return null;
  return (
    <Stack gap={2} aria-label="Refused lines" role="group">
      {refused.slice(0, SHOWN).map(({ line, email, problem }) => (
        <Text key={line} size="xs" c="dimmed" className="break">
          Line {line}: {email} {problem}
        </Text>
      ))}
      {refused.length > SHOWN && (
        <Text size="xs" c="dimmed">
          … and {formatNumber(refused.length - SHOWN)} more
        </Text>
      )}
    </Stack>
  );
}

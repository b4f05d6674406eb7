import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDownload, IconForbid, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { Facts, type Fact } from '../../components/facts.tsx';
import { notifyDone, notifyFailed, notifyUndo } from '../../components/feedback.tsx';
import { searchField, useFilters, type FilterField } from '../../components/filters.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { ExactTime, Status, Time } from '../../components/format.tsx';
import { DialogButton, ListPage } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import { SUPPRESSION_ORIGINS } from '../../generated/constants.ts';
import {
  AddSuppressionsDocument,
  RemoveSuppressionsDocument,
  SuppressionsDocument,
  type SuppressionOrigin,
  type SuppressionsQuery,
} from '../../graphql/generated.ts';
import { withCode } from '../events/event-detail.ts';
import { exportSuppressions } from './csv.ts';
import { ImportDialog } from './import-dialog.tsx';
import { putBack } from './send-import.ts';

type Suppression = SuppressionsQuery['suppressions']['nodes'][number];

const FILTERS = ['search', 'origin'] as const;
const BATCH = 100;

const reasonOf = ({ reason, evidence }: Suppression): string => reason ?? evidence?.text ?? '';

const COLUMNS: Column<Suppression>[] = [
  { title: 'Address', width: 'minmax(0, 3fr)', render: ({ email }) => email },
  { title: 'Origin', width: '120px', render: ({ origin }) => <Status value={origin} /> },
  { title: 'Reason', width: 'minmax(0, 3fr)', from: 'sm', render: reasonOf },
  { title: 'Scope', width: '90px', from: 'md', render: ({ scope }) => scope },
  { title: 'Since', width: '130px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
];

const FIELDS: FilterField<(typeof FILTERS)[number]>[] = [
  searchField('search', 'Search addresses and reasons'),
  { kind: 'choice', name: 'origin', label: 'Origin', placeholder: 'Any origin', data: SUPPRESSION_ORIGINS, w: 150 },
];

export function SuppressionsPage() {
  const { may } = useSession();
  const filters = useFilters(FILTERS);
  const { search, origin } = filters.values;
  const filter = filters.isActive ? { search, origin: origin as SuppressionOrigin | null } : null;
  const list = useConnection(SuppressionsDocument, { filter }, ({ suppressions }) => suppressions);
  return (
    <ListPage
      title="Suppressions"
      description="Addresses that receive no mail, because of hard bounces, complaints and unsubscribes, or added by you."
      actions={<Actions reload={list.reload} />}
      filters={filters}
      fields={FIELDS}
      label="Suppressions"
      list={list}
      columns={COLUMNS}
      second={(entry) => [reasonOf(entry), <Time key="at" at={entry.createdAt} />]}
      dialog={(entry) => ({
        title: entry.email,
        children: <Detail entry={entry} mayRemove={may('suppressions.write')} changed={list.reload} />,
      })}
      empty={{
        icon: IconForbid,
        title: 'No suppressed addresses',
        text: 'Addresses that hard-bounce, complain or unsubscribe are added automatically to protect your reputation.',
      }}
    />
  );
}

function Actions({ reload }: { reload: () => void }) {
  const { may } = useSession();
  return (
    <>
      {may('suppressions.read') && (
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => void exportSuppressions().catch(notifyFailed)}
        >
          Export
        </Button>
      )}
      <DialogButton
        label="Import"
        needs="suppressions.write"
        icon={IconUpload}
        variant="default"
        title="Import suppressions"
        size="lg"
        closeOnClickOutside={false}
        form={(close) => <ImportDialog changed={reload} close={close} />}
      />
      <DialogButton
        label="Add"
        needs="suppressions.write"
        title="Suppress addresses"
        form={(close) => <AddForm added={reload} close={close} />}
      />
    </>
  );
}

function AddForm({ added, close }: { added: () => void; close: () => void }) {
  const add = useOperation(AddSuppressionsDocument);
  const [text, setText] = useState('');
  const [batch, setBatch] = useState(0);
  const emails = text.split(/[\s,;]+/).filter(Boolean);
  const save = async () => {
    for (let i = 0; i < emails.length; i += BATCH) {
      setBatch(i);
      await add({ input: { emails: emails.slice(i, i + BATCH) } });
    }
    notifyDone(emails.length === 1 ? 'The address is suppressed.' : 'The addresses are suppressed.');
    close();
    added();
  };
  return (
    <DialogForm
      action={emails.length > 1 ? `Suppress ${emails.length} addresses` : 'Suppress'}
      save={save}
      disabled={emails.length === 0}
    >
      <FormField name="emails" values={emails.slice(batch)}>
        <Textarea
          label="Addresses"
          description="One per line, or separated by spaces or commas"
          autosize
          minRows={4}
          required
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </FormField>
    </DialogForm>
  );
}

function Detail({ entry, mayRemove, changed }: { entry: Suppression; mayRemove: boolean; changed: () => void }) {
  const remove = useOperation(RemoveSuppressionsDocument);
  const { evidence, origin, reason, scope, createdAt, expiresAt } = entry;
  const facts: Fact[] = [
    ['Origin', origin],
    ['Reason', reason],
    ['Scope', scope],
    ['Since', <ExactTime key="since" at={createdAt} />],
    ['Expires', expiresAt === null ? 'never' : <ExactTime key="expires" at={expiresAt} />],
    ['Reply', evidence && withCode(evidence.text ?? '', [evidence.smtpCode, evidence.enhancedCode])],
    ['Host', evidence?.mx],
    ['Feedback', evidence?.feedbackType],
    ['Email', evidence?.emailId],
  ];
  const release = async (force: boolean) => {
    const { removeSuppressions } = await remove({ input: { ids: [entry.id], force } });
    const refused = removeSuppressions[0]?.error;
    if (refused) throw new Error(refused.message);
    modals.closeAll();
    changed();
    notifyUndo(`${entry.email} is no longer suppressed.`, restore, `${entry.email} is suppressed again.`);
  };
  // An import keeps the origin; the evidence cannot be given by anybody but the service.
  const restore = async () => {
    await putBack({ ...entry, reason: reason ?? evidence?.text ?? null });
    changed();
  };
  const start = () => {
    if (origin === 'manual') {
      void release(false).catch(notifyFailed);
      return;
    }
    confirm({
      title: `Remove ${entry.email}?`,
      text:
        origin === 'complaint'
          ? 'This recipient marked your mail as spam. Sending to them again hurts your reputation; do so only at their request.'
          : 'Emails to this address will be sent again.',
      confirm: 'Remove',
      run: () => release(origin === 'complaint'),
    });
  };
  return (
    <Stack>
      <Facts facts={facts} />
      {mayRemove && (
        <Group justify="flex-end">
          <Button variant="light" color="red" onClick={start}>
            Remove
          </Button>
        </Group>
      )}
      {!mayRemove && <Text size="sm">Your role cannot remove entries.</Text>}
    </Stack>
  );
}

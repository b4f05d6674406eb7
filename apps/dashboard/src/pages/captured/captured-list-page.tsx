import { Button } from '@mantine/core';
import { IconInbox, IconPaperclip, IconTrash } from '@tabler/icons-react';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useReloadOnEvents } from '../../api/use-reload-on-events.ts';
import { confirm } from '../../components/confirm.tsx';
import { notifyDone } from '../../components/feedback.tsx';
import { searchField, useFilters } from '../../components/filters.tsx';
import { formatBytes, formatNumber, Time } from '../../components/format.tsx';
import { ListPage, NextStep } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import {
  CapturedEmailsDocument,
  DeleteCapturedEmailsDocument,
  type CapturedEmailsQuery,
} from '../../graphql/generated.ts';

type Captured = CapturedEmailsQuery['capturedEmails']['nodes'][number];

const FILTERS = ['search'] as const;
const FIELDS = [searchField('search', 'Search subjects, addresses, names and tags')];
const REFRESH_MS = 500;
/** A search may read thousands of emails. */
const REPEAT_SEARCH_MS = 10_000;

const COLUMNS: Column<Captured>[] = [
  {
    title: 'Subject',
    width: 'minmax(0, 3fr)',
    render: ({ email }) => (
      <>
        {email?.subject || '(no subject)'}{' '}
        {(email?.attachments.length ?? 0) > 0 && <IconPaperclip size={14} aria-label="With attachments" />}
      </>
    ),
  },
  { title: 'To', width: 'minmax(0, 2fr)', from: 'sm', render: ({ rcptTo }) => rcptTo.join(', ') },
  { title: 'From', width: 'minmax(0, 2fr)', from: 'md', render: ({ email }) => email?.from ?? '' },
  { title: 'Size', width: '80px', from: 'md', render: ({ size }) => formatBytes(size) },
  { title: 'When', width: '110px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function CapturedListPage() {
  const { may } = useSession();
  const filters = useFilters(FILTERS);
  const { search } = filters.values;
  const list = useConnection(
    CapturedEmailsDocument,
    { filter: search === null ? null : { search } },
    ({ capturedEmails }) => capturedEmails,
  );
  const { reload, onFirstPage, nodes } = list;
  useReloadOnEvents(reload, { everyMs: search === null ? REFRESH_MS : REPEAT_SEARCH_MS, pause: !onFirstPage });
  const clear = useOperation(DeleteCapturedEmailsDocument);
  const clearAll = () =>
    confirm({
      title: 'Delete all captured emails?',
      text: 'Their content as it would have been sent is deleted. The list of emails keeps its entries.',
      confirm: 'Delete all',
      run: async () => {
        const { deleteCapturedEmails } = await clear({});
        notifyDone(`${formatNumber(deleteCapturedEmails.count)} emails have been deleted.`);
        reload();
      },
    });
  return (
    <ListPage
      title="Captured"
      description="Emails that were not delivered to a mailbox: those of test keys, those to addresses of the simulator and, in capture mode, all others."
      actions={
        may('emails.send') &&
        nodes.length > 0 && (
          <Button variant="default" leftSection={<IconTrash size={16} />} onClick={clearAll}>
            Delete all
          </Button>
        )
      }
      filters={filters}
      fields={FIELDS}
      label="Captured emails"
      list={list}
      columns={COLUMNS}
      second={({ rcptTo, createdAt }) => [rcptTo.join(', '), <Time key="at" at={createdAt} />]}
      linkTo={({ emailId }) => `/captured/${emailId}`}
      empty={{
        icon: IconInbox,
        title: 'Nothing is captured',
        text: 'Send with a test key or to an address of the simulator, or start the service with DELIVERY_MODE=capture. Captured emails appear here automatically.',
        action: <NextStep to="/getting-started">Send an email</NextStep>,
      }}
    />
  );
}

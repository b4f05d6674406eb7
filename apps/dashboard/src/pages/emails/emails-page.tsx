import { IconMail } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useReloadOnEvents } from '../../api/use-reload-on-events.ts';
import { useFilters, usePeriod } from '../../components/filters.tsx';
import { Status, Time } from '../../components/format.tsx';
import { ListPage, NextStep, useLive } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import { DomainsDocument, EmailsDocument, type EmailsQuery } from '../../graphql/generated.ts';
import { FIELDS, isOfState, moreOf } from './email-filters.ts';
import { FILTERS, filterOf } from './filter.ts';

type Email = EmailsQuery['emails']['nodes'][number];

const REFRESH_MS = 1_500;
/** A search may read thousands of emails. */
const REPEAT_SEARCH_MS = 10_000;

const COLUMNS: Column<Email>[] = [
  {
    title: 'To',
    width: 'minmax(0, 2fr)',
    render: ({ to }) => (to.length > 1 ? `${to[0]} and ${to.length - 1} more` : to[0]),
  },
  { title: 'Status', width: '110px', render: ({ status }) => <Status value={status} /> },
  { title: 'Subject', width: 'minmax(0, 3fr)', from: 'sm', render: ({ subject }) => subject },
  { title: 'From', width: 'minmax(0, 2fr)', from: 'md', render: ({ from }) => from },
  { title: 'Accepted', width: '130px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function EmailsPage() {
  const [{ data }] = useQuery({ query: DomainsDocument });
  const content = useSession().may('emails.read');
  const filters = useFilters(FILTERS);
  const filter = filterOf(filters.values, usePeriod(filters));
  const list = useConnection(EmailsDocument, { filter }, ({ emails }) => emails);
  const [live, control] = useLive();
  const everyMs = filters.values.search === null ? REFRESH_MS : REPEAT_SEARCH_MS;
  useReloadOnEvents(list.reload, { everyMs, pause: !live || !list.onFirstPage || list.loading });
  return (
    <ListPage
      title="Emails"
      description="All emails of this account, newest first."
      actions={control}
      filters={filters}
      fields={content ? FIELDS : FIELDS.filter(isOfState)}
      more={content ? moreOf(data?.domains) : moreOf(data?.domains).filter(isOfState)}
      label="Emails"
      list={list}
      columns={content ? COLUMNS : COLUMNS.filter(({ title }) => title !== 'Subject')}
      second={({ subject, from, createdAt }) => [content ? subject : from, <Time key="at" at={createdAt} />]}
      linkTo={({ id }) => `/emails/${id}`}
      empty={{
        icon: IconMail,
        title: 'No emails yet',
        text: 'Emails appear here as soon as they are accepted over the API or the SMTP relay.',
        action: <NextStep to="/getting-started">Send your first email</NextStep>,
      }}
      hint={
        content
          ? 'The search finds any part of a subject, an address, a name or the value of a tag.'
          : 'Your role shows the states of emails, without subjects and content.'
      }
    />
  );
}

import { permissions } from '#libs/accounts';
import { EmailHistory, EmailList as Emails, EmailQueries } from '#libs/emails';
import { EmailExplanation } from '#libs/queue';
import { EmailFilter } from '../graphql/emails/email-input.type.js';
import { EmailConnection } from '../graphql/emails/email.type.js';
import { toEmailFilter } from '../rest/emails/email-filter.js';
import {
  AttemptList,
  AttemptsQuery,
  EmailEventList,
  EmailEventsQuery,
  ExplanationDto,
} from '../rest/emails/email-history.dto.js';
import { EmailDto, EmailList, EmailsQuery } from '../rest/emails/emails.dto.js';
import { withoutContent } from '../rest/emails/without-content.js';
import { pageRequest } from '../rest/list.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Emails';

const list = operation({
  tag,
  rest: 'GET /',
  graphql: {
    field: 'Query.emails',
    about: 'The emails of the account, newest first.',
    list: {
      connection: EmailConnection,
      filter: { type: EmailFilter, about: 'Only emails that match it' },
    },
  },
  scope: 'emails.read',
  states: true,
  summary: 'List emails',
  description: 'Newest first. Filters can be combined; an email must match all of them.',
  query: EmailsQuery,
  response: EmailList,
  errors: [400],
  uses: [Emails],
  run: async ({ caller, query }, emails) => {
    if (query.subject !== undefined || query.search !== undefined) permissions.requireScope(caller, 'emails.read');
    const page = await emails.page(caller, toEmailFilter(query), pageRequest(query, 'em'));
    return { ...page, data: page.data.map((email) => withoutContent(caller, email)) };
  },
});

const find = operation({
  tag,
  rest: 'GET /:id',
  // `Query.email` and the fields of an email are loaded for all emails of an operation together.
  graphql: null,
  scope: 'emails.read',
  summary: 'Get an email',
  description:
    'With bodies and the status of each recipient. By default, bodies are kept for 30 days and everything else for 90 days; a domain can have a shorter period for bodies.',
  path: ['id'],
  response: EmailDto,
  errors: [404],
  uses: [EmailQueries],
  run: ({ caller, id }, emails) => emails.find(caller, id),
});

const events = operation({
  tag,
  rest: 'GET /:id/events',
  // `Email.events`
  graphql: null,
  scope: 'emails.read',
  summary: 'List the events of an email',
  description: 'Oldest first: `after` returns the events that follow.',
  path: ['id'],
  query: EmailEventsQuery,
  response: EmailEventList,
  errors: [400, 404],
  uses: [EmailHistory],
  run: ({ caller, id, query }, history) => history.events(caller, id, pageRequest(query, 'evt')),
});

const attempts = operation({
  tag,
  rest: 'GET /:id/attempts',
  // `Email.attempts`
  graphql: null,
  scope: 'emails.read',
  states: true,
  summary: 'List the delivery attempts of an email',
  description: 'All attempts for all recipients, newest first, with the reply of the receiving server.',
  path: ['id'],
  query: AttemptsQuery,
  response: AttemptList,
  errors: [400, 404],
  uses: [EmailHistory],
  run: ({ caller, id, query }, history) => history.attempts(caller, id, pageRequest(query, 'atm')),
});

const explain = operation({
  tag,
  rest: 'GET /:id/explain',
  // `Email.explanation`
  graphql: null,
  scope: 'emails.read',
  states: true,
  summary: 'Explain the state of an email',
  description: 'For each recipient: the reason for waiting, until when, and the server reply that caused it.',
  path: ['id'],
  response: ExplanationDto,
  errors: [404],
  uses: [EmailExplanation],
  run: ({ caller, id }, explanation) => explanation.explain(caller, id),
});

/** Reads emails, their events and their delivery attempts. */
export const EMAILS: OperationGroup = {
  name: 'Emails',
  path: 'emails',
  operations: { list, find, events, attempts, explain },
};

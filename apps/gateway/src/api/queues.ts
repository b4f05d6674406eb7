import { QueueOverview } from '#libs/queue';
import { QueueType } from '../graphql/queues/queue.type.js';
import { QueueList } from '../rest/queues/queues.dto.js';
import { completeList } from '../rest/list.dto.js';
import { operation, type OperationGroup } from './operation.js';

const list = operation({
  tag: 'Queues',
  rest: 'GET /',
  graphql: {
    field: 'Query.queues',
    about:
      'What waits to be delivered, for whom, why and since when: one entry per recipient domain and reason, those with the ' +
      'most recipients first, at most 1,000.',
    type: [QueueType],
  },
  scope: 'emails.read',
  states: true,
  summary: 'List waiting recipients by domain and reason',
  description:
    'One entry per recipient domain and reason, those with the most recipients first, at most 1,000. ' +
    'Read from the database at most twice a second.',
  response: QueueList,
  uses: [QueueOverview],
  run: ({ caller }, queues) => queues.list(caller),
  respond: completeList,
});

/** The recipients that wait for delivery. */
export const QUEUES: OperationGroup = { name: 'Queues', path: 'queues', operations: { list } };

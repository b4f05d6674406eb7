import { waitingQueue } from '#libs/queue';
import { QueueDto } from '../../rest/queues/queues.dto.js';
import { objectType } from '../dto/object-type.js';

export const QueueType = objectType(waitingQueue.name, QueueDto, {
  description: waitingQueue.about,
  fields: {
    domain: { description: 'The domain of the recipients.' },
    provider: { description: 'The mailbox provider, as in statistics: a known name, otherwise the domain.' },
    recipients: { description: 'The number of recipients.' },
    oldest_due_at: { description: 'Due time of the oldest recipient that is due; null if none is.' },
    next_attempt_at: { description: 'When the next recipient becomes due; null if all are due or being delivered.' },
    waiting_for: { description: 'What the recipients wait for, as in the explanation of an email.' },
    reason: { description: 'A sentence for people, with the reply of the server that caused it.' },
    code: { description: 'The SMTP reply that caused it; null without one.' },
    host: { description: 'The server that sent the reply, or that could not be reached; null without one.' },
    block_list: { description: 'The block list that has our address, according to that reply; null otherwise.' },
    since: {
      description:
        'Since when the oldest recipient has waited: its acceptance, or its scheduled time once that has passed.',
    },
  },
});

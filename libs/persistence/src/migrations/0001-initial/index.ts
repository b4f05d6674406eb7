import { ACCOUNTS } from './accounts.js';
import { COLUMN_STATISTICS } from './column-statistics.js';
import { DOMAINS } from './domains.js';
import { EMAILS } from './emails.js';
import { EVENTS } from './events.js';
import { INBOUND } from './inbound.js';
import { QUEUE } from './queue.js';
import { SUPPRESSIONS } from './suppressions.js';
import { WEBHOOKS } from './webhooks.js';

/**
 * The schema of the first release, one file per owner. Ids are text in byte order (`COLLATE "C"`), in which UUIDv7 sorts
 * by time.
 */
export const INITIAL = {
  name: 'Schema1700000000001',
  statements: [...[ACCOUNTS, DOMAINS, SUPPRESSIONS, EMAILS, QUEUE, INBOUND, EVENTS, WEBHOOKS], COLUMN_STATISTICS],
};

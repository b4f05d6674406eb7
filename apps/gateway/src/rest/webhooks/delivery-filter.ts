import { instantOf } from '../validation/query-rules.js';
import type { WebhookEventsQuery } from './webhook-events.dto.js';

/** The filter for the validated parameters of a list of events of a webhook. */
export const toDeliveryFilter = ({ status, type, created_after, created_before }: WebhookEventsQuery) => ({
  status,
  types: type === undefined ? undefined : [type],
  createdAfter: instantOf(created_after),
  createdBefore: instantOf(created_before),
});

import type { WebhookDeliveryStatus, WebhookPartsFragment } from '../../graphql/generated.ts';

/** Its status, or `failing` while it is enabled and no call succeeds. */
export const stateOf = ({ status, failingSince }: Pick<WebhookPartsFragment, 'status' | 'failingSince'>): string =>
  status === 'enabled' && failingSince !== null ? 'failing' : status;

/** The host of a URL, which names an endpoint in a heading. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

interface Delivery {
  status: WebhookDeliveryStatus;
  nextAttemptAt: string | null;
  createdAt: string;
}

/** A call that has been due for longer waits for something else, such as an endpoint that asked for a pause. */
const OVERDUE_MS = 60_000;
/** The least delay between reloads. */
const RELOAD_MS = 1_500;
const LONGEST_MS = 3_600_000;

/** Milliseconds until the result of the next call may be there; null if none of the deliveries will be called. */
export function untilNextCall(deliveries: readonly Delivery[], now: number): number | null {
  const dues = deliveries
    .filter(({ status }) => status === 'pending')
    .map(({ nextAttemptAt, createdAt }) => Date.parse(nextAttemptAt ?? createdAt) - now)
    .filter((due) => due > -OVERDUE_MS);
  return dues.length === 0 ? null : Math.min(Math.max(Math.min(...dues), 0) + RELOAD_MS, LONGEST_MS);
}

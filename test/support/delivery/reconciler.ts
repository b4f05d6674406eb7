import type { Arrival } from '../mail-servers/recorder.js';
import type { RunningService } from '../services/program.js';

/** What the clients saw; a mail has one recipient and a subject of its own. */
export interface Asked {
  /** Every subject that was sent, answered or not, with its recipient. */
  sent: ReadonlyMap<string, string>;
  /** Id by subject, of what was answered with 201. */
  accepted: ReadonlyMap<string, string>;
}

/** The one equation of delivery: every line must be empty but `duplicates`, which a test bounds. */
export interface Reconciliation {
  /** Accepted, and neither delivered nor ended in another way. */
  lost: string[];
  /** At the sink, and no client sent it to him. */
  phantoms: string[];
  /** Each delivery beyond the first, in the order of the sink. */
  duplicates: Arrival[];
  /** Said to be delivered and not at the sink, or said to have failed and at the sink. */
  liars: string[];
  /** Mails whose number of final events is not one. */
  events: string[];
}

interface Listed {
  id: string;
  status: string;
}

interface Told {
  id: string;
  type: string;
  data: { email_id: string; failure_type?: string };
}

const ENDS = new Set(['delivered', 'bounced', 'failed', 'suppressed', 'canceled']);
const FINAL_EVENTS = 'email.delivered,email.bounced,email.failed,email.suppressed,email.canceled';
const PAGE = 100;

/** Compares clients, sink and what the service says of itself, once the queue is quiet. */
export async function reconcile(
  service: RunningService,
  asked: Asked,
  arrivals: readonly Arrival[],
): Promise<Reconciliation> {
  const statuses = new Map((await all<Listed>(service, '/emails?')).map(({ id, status }) => [id, status]));
  const finals = new Map<string, Set<string>>();
  for (const { id, type, data } of await all<Told>(service, `/events?type=${FINAL_EVENTS}&`)) {
    if (type === 'email.failed' && data.failure_type === 'temporary') continue;
    finals.set(data.email_id, (finals.get(data.email_id) ?? new Set()).add(id));
  }
  const arrived = new Set<string>();
  const duplicates = arrivals.filter(({ subject, recipient }) => {
    const key = `${subject} ${recipient}`;
    return arrived.has(key) || !arrived.add(key);
  });
  const has = (subject: string) => arrived.has(`${subject} ${asked.sent.get(subject)}`);
  const accepted = [...asked.accepted];
  const saysDelivered = (id: string) => statuses.get(id) === 'delivered';
  return {
    lost: accepted
      .filter(([subject, id]) => !has(subject) && (saysDelivered(id) || !ENDS.has(statuses.get(id) ?? '')))
      .map(([subject]) => subject),
    phantoms: arrivals.filter((one) => asked.sent.get(one.subject) !== one.recipient).map(({ subject }) => subject),
    duplicates,
    liars: accepted.filter(([subject, id]) => saysDelivered(id) !== has(subject)).map(([subject]) => subject),
    events: accepted.filter(([, id]) => finals.get(id)?.size !== 1).map(([subject]) => subject),
  };
}

async function all<T>(service: RunningService, path: string): Promise<T[]> {
  const items: T[] = [];
  for await (const item of eachOf<T>(service, path)) items.push(item);
  return items;
}

/** Every item of a list, page by page. `path` ends with `?` or `&`. */
export async function* eachOf<T>(service: RunningService, path: string): AsyncGenerator<T> {
  let after = '';
  for (;;) {
    const response = await service.call('GET', `${path}limit=${PAGE}${after}`);
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    const page = (await response.json()) as { data: T[]; has_more: boolean; next_cursor: string | null };
    yield* page.data;
    if (!page.has_more || page.next_cursor === null) return;
    after = `&after=${page.next_cursor}`;
  }
}

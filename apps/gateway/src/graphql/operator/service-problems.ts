import type { ThrottleView } from '#libs/queue';

/** `critical`: mail is not accepted, delivered or counted, or soon will not be. */
export type Severity = 'warning' | 'critical';

export const PROBLEM_KINDS = [
  'part',
  'statistics',
  'program',
  'delivery_blocked',
  'throttled',
  'late',
  'event_log',
  'retention',
  'disk',
  'certificate',
] as const;
type ProblemKind = (typeof PROBLEM_KINDS)[number];

export interface ServiceProblem {
  /** For programs: the subject of the problem. */
  kind: ProblemKind;
  severity: Severity;
  message: string;
  /** The reply of a server that caused it. */
  reply: string | null;
  since: Date | null;
}

/** What is known of the service. */
export interface ServiceFacts {
  now: Date;
  parts: readonly { part: string; reason: string | null; since: Date | null }[];
  statistics: { problem: string | null; since: Date | null };
  programs: readonly { program: string; isAlive: boolean; silentSeconds: number }[];
  disk: { freeBytes: number; totalBytes: number; level: 'ok' | 'warning' | 'error'; daysLeft: number | null } | null;
  certificates: readonly { setting: string; level: 'warning' | 'error'; message: string }[];
  throttles: readonly ThrottleView[];
  /** Due time of the oldest recipient for which a delivery slot is missing. */
  oldestDueAt: Date | null;
  backlog: {
    isOutboxLate: boolean;
    outboxSeconds: number;
    consumers: readonly {
      consumer: string;
      lag: number | null;
      movedAt: Date | null;
      isBehind: boolean;
      parked: number;
    }[];
  };
  /** Data that should have been deleted more than a day ago. */
  lateData: readonly { name: string; since: Date }[];
}

const DELIVERERS = new Set(['standalone', 'delivery']);
const MINUTE_MS = 60_000;
const LATE_MS = 5 * MINUTE_MS;
/** Days until the disk is full. */
const FEW_DAYS = { warning: 14, critical: 1 };

/** Everything that needs the attention of the operator, critical problems first. */
export function serviceProblems(facts: ServiceFacts): ServiceProblem[] {
  const problems = [
    ...partProblems(facts),
    ...programProblems(facts),
    ...blockProblems(facts),
    ...throttleProblems(facts),
    ...backlogProblems(facts),
    ...retentionProblems(facts),
    ...diskProblems(facts),
    ...certificateProblems(facts),
  ];
  return [...problems.filter(isCritical), ...problems.filter((problem) => !isCritical(problem))];
}

/** The state of the whole. */
export const stateOf = (problems: readonly ServiceProblem[]): Severity | 'ok' =>
  problems.some(isCritical) ? 'critical' : problems.length > 0 ? 'warning' : 'ok';

const isCritical = ({ severity }: ServiceProblem): boolean => severity === 'critical';

const problem = (
  kind: ProblemKind,
  severity: Severity,
  { message, reply = null, since = null }: { message: string; reply?: string | null; since?: Date | null },
): ServiceProblem => ({ kind, severity, message, reply, since });

function partProblems({ parts, statistics }: ServiceFacts): ServiceProblem[] {
  const failing = parts.flatMap(({ part, reason, since }) =>
    reason === null ? [] : [problem('part', 'critical', { message: `${capitalised(part)}: ${reason}.`, since })],
  );
  if (statistics.problem === null) return failing;
  const message = `The statistics store does not answer: ${statistics.problem}. Mail is delivered and counted later.`;
  return [...failing, problem('statistics', 'critical', { message, since: statistics.since })];
}

function programProblems({ programs, now }: ServiceFacts): ServiceProblem[] {
  const silent = programs
    .filter(({ isAlive }) => !isAlive)
    .map(({ program, silentSeconds }) =>
      problem('program', 'warning', {
        message: `The program ${program} does not report any more.`,
        since: new Date(now.getTime() - silentSeconds * 1_000),
      }),
    );
  if (programs.some(({ program, isAlive }) => isAlive && DELIVERERS.has(program))) return silent;
  return [problem('program', 'critical', { message: 'No program delivers mail.' }), ...silent];
}

/** One problem for each block list: a listed address is refused by many servers with the same reply. */
function blockProblems({ throttles }: ServiceFacts): ServiceProblem[] {
  const lists = new Map<string, ThrottleView[]>();
  for (const one of throttles) {
    if (one.block_list === null) continue;
    lists.set(one.block_list, [...(lists.get(one.block_list) ?? []), one]);
  }
  return [...lists].map(([list, held]) => {
    const sources = [...new Set(held.map(({ source }) => source))].filter((source) => source !== null);
    const address = sources.length === 0 ? 'our address' : sources.join(', ');
    return problem('delivery_blocked', 'warning', {
      message: `${refusals(held)}: ${address} is listed at ${list}. ${waitingIn(held)}`,
      ...causeOf(held),
    });
  });
}

/** Queues that are held back for another reason, as far as mail waits for them. */
function throttleProblems({ throttles }: ServiceFacts): ServiceProblem[] {
  const held = throttles.filter(({ block_list, waiting }) => block_list === null && waiting > 0);
  if (held.length === 0) return [];
  const message = `${counted(queuesOf(held).size, 'queue is', 'queues are')} held back by replies of servers. ${waitingIn(held)}`;
  return [problem('throttled', 'warning', { message, ...causeOf(held) })];
}

function backlogProblems({ oldestDueAt, backlog, now }: ServiceFacts): ServiceProblem[] {
  const problems: ServiceProblem[] = [];
  if (oldestDueAt !== null && now.getTime() - oldestDueAt.getTime() > LATE_MS)
    problems.push(problem('late', 'warning', { message: 'Mail that is due waits for delivery.', since: oldestDueAt }));
  if (backlog.isOutboxLate) {
    const since = new Date(now.getTime() - backlog.outboxSeconds * 1_000);
    problems.push(problem('event_log', 'warning', { message: 'Events do not reach the event log.', since }));
  }
  for (const { consumer, lag, movedAt, isBehind, parked } of backlog.consumers) {
    if (isBehind) {
      const message = `${capitalised(consumer)}: ${counted(lag ?? 0, 'event has', 'events have')} not been handled yet.`;
      problems.push(problem('event_log', 'warning', { message, since: movedAt }));
    }
    if (parked > 0) {
      const message = `${capitalised(consumer)}: ${counted(parked, 'event', 'events')} could not be handled.`;
      problems.push(problem('event_log', 'warning', { message }));
    }
  }
  return problems;
}

function retentionProblems({ lateData }: ServiceFacts): ServiceProblem[] {
  if (lateData.length === 0) return [];
  const message = `Data whose time is over is not deleted: ${lateData.map(({ name }) => name).join(', ')}.`;
  return [
    problem('retention', 'warning', { message, since: new Date(Math.min(...lateData.map(({ since }) => +since))) }),
  ];
}

function diskProblems({ disk }: ServiceFacts): ServiceProblem[] {
  if (disk === null || disk.totalBytes === 0) return [];
  const share = disk.freeBytes / disk.totalBytes;
  const days = disk.daysLeft ?? Infinity;
  const isCriticalDisk = disk.level === 'error' || days < FEW_DAYS.critical;
  const severity = isCriticalDisk ? 'critical' : disk.level === 'warning' || days < FEW_DAYS.warning ? 'warning' : null;
  if (severity === null) return [];
  const left = days === Infinity ? '' : `, which is enough for ${counted(Math.floor(days), 'day', 'days')}`;
  return [problem('disk', severity, { message: `${Math.floor(share * 100)} % of the disk is free${left}.` })];
}

/** Clients refuse a certificate that has expired, so they cannot submit mail. */
const certificateProblems = ({ certificates }: ServiceFacts): ServiceProblem[] =>
  certificates.map(({ setting, level, message }) =>
    problem('certificate', level === 'error' ? 'critical' : 'warning', { message: `${setting}: ${message}` }),
  );

/** The reply of the server for which most recipients wait, and since when it or another one has given such replies. */
function causeOf(held: readonly ThrottleView[]): { reply: string | null; since: Date } {
  const [first] = [...held].sort((a, b) => b.waiting - a.waiting);
  const since = new Date(Math.min(...held.map((one) => Date.parse(one.since))));
  return { reply: first.words === null ? null : `${first.mx ?? first.queue}: ${first.words}`, since };
}

/** With the number of recipients that wait: a queue is held once for each source address. */
const queuesOf = (held: readonly ThrottleView[]): Map<string, number> =>
  new Map(held.map(({ queue, waiting }) => [queue, waiting]));

function refusals(held: readonly ThrottleView[]): string {
  const [[queue], ...others] = queuesOf(held);
  return others.length === 0 ? `${queue.replace(/^domain:/, '')} refuses us` : `${others.length + 1} queues refuse us`;
}

function waitingIn(held: readonly ThrottleView[]): string {
  const recipients = [...queuesOf(held).values()].reduce((sum, waiting) => sum + waiting, 0);
  return `${counted(recipients, 'recipient waits', 'recipients wait')}.`;
}

const counted = (count: number, one: string, several: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`;

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

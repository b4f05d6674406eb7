import type { DeliveryJob } from '#libs/emails';
import type { Config, Metrics, ShutdownStage, Wakeup, WakeupTopic } from '#libs/kernel';

/** What the thread begins with. */
export interface ThreadData {
  settings: Config['settings'];
  home: Config['home'];
}

/** News that arise beside HTTP and SMTP and that delivery waits for. */
export const TO_DELIVERY = ['due-mail', 'due-domains', 'outbox'] as const satisfies WakeupTopic[];

export type Question =
  { what: 'health' } | { what: 'metrics' } | { what: 'stop'; stage: ShutdownStage; withinMs: number };

export interface Answers {
  health: Record<string, string>;
  metrics: Awaited<ReturnType<Metrics['snapshot']>>;
  stop: null;
}

export type ToThread =
  /** `at`: of `monotonicMs`, when they were handed over. */
  | { kind: 'jobs'; jobs: DeliveryJob[]; at: number }
  | { kind: 'wake'; topic: (typeof TO_DELIVERY)[number] }
  | ({ kind: 'question'; id: number } & Question);

/** How delivery stands towards the hand-off. */
export interface ThreadState {
  alive: boolean;
  life: number;
  /** Of the domains that jobs came for: those for which nothing more is welcome in memory. */
  full: string[];
}

export type FromThread =
  | { kind: 'ready'; workerId: string }
  | { kind: 'state'; state: ThreadState; left: { jobs: number; bytes: number } }
  | { kind: 'suppressing'; entries: Wakeup['suppressing'][0] }
  | { kind: 'answer'; id: number; answer: Answers[Question['what']] };

/** The same in every thread of the process, unlike `performance.now()`. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

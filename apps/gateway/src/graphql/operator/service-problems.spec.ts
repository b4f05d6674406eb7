import type { ThrottleView } from '#libs/queue';
import { expect, it } from 'vitest';
import { serviceProblems, stateOf, type ServiceFacts } from './service-problems.js';

const NOW = new Date('2026-11-27T10:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const GB = 1024 ** 3;

const WELL: ServiceFacts = {
  now: NOW,
  parts: [{ part: 'database', reason: null, since: null }],
  statistics: { problem: null, since: null },
  programs: [{ program: 'standalone', isAlive: true, silentSeconds: 1 }],
  disk: { freeBytes: 50 * GB, totalBytes: 100 * GB, level: 'ok', daysLeft: 400 },
  certificates: [],
  throttles: [],
  oldestDueAt: ago(2),
  backlog: {
    ...{ isOutboxLate: false, outboxSeconds: 0 },
    consumers: [{ consumer: 'webhooks', lag: 3, movedAt: ago(1), isBehind: false, parked: 0 }],
  },
  lateData: [],
};

function held(queue: string, more: Partial<ThrottleView> = {}): ThrottleView {
  return {
    ...{ queue, source: null, state: 'suspended', factor: null, rule: 'listed-address', waiting: 10 },
    since: ago(60).toISOString(),
    until: ago(-600).toISOString(),
    mx: `mx.${queue}`,
    words: '554 5.7.1 blocked using zen.spamhaus.org',
    block_list: 'zen.spamhaus.org',
    ...more,
  };
}

const found = (changes: Partial<ServiceFacts>) => {
  const problems = serviceProblems({ ...WELL, ...changes });
  return { state: stateOf(problems), problems };
};

it('finds nothing in a service that is well', () => {
  expect(found({})).toEqual({ state: 'ok', problems: [] });
});

it('reports a block list once for all queues, with the reply for which most recipients wait', () => {
  const throttles = [
    held('domain:a.example'),
    held('google', { waiting: 2_350, since: ago(90).toISOString() }),
    held('google', { source: '192.0.2.1', waiting: 2_350 }),
  ];
  expect(found({ throttles })).toEqual({
    state: 'warning',
    problems: [
      {
        kind: 'delivery_blocked',
        severity: 'warning',
        message: '2 queues refuse us: 192.0.2.1 is listed at zen.spamhaus.org. 2,360 recipients wait.',
        reply: 'mx.google: 554 5.7.1 blocked using zen.spamhaus.org',
        since: ago(90),
      },
    ],
  });
});

it('reports queues that are held back for another reason only while mail waits for them', () => {
  const slow = (waiting: number) => held('yahoo', { block_list: null, words: '421 4.7.0 [TSS04]', waiting });
  expect(found({ throttles: [slow(0)] }).state).toBe('ok');
  expect(found({ throttles: [slow(1)] }).problems).toMatchObject([
    { kind: 'throttled', message: '1 queue is held back by replies of servers. 1 recipient waits.' },
  ]);
});

it.each([
  ['a part that is not ready', { parts: [{ part: 'database', reason: 'does not answer', since: ago(5) }] }, 'part'],
  ['a store of statistics that is down', { statistics: { problem: 'refused', since: null } }, 'statistics'],
  ['no program that delivers', { programs: [] }, 'program'],
  ['a full disk', { disk: { freeBytes: 4 * GB, totalBytes: 100 * GB, level: 'error', daysLeft: null } }, 'disk'],
  [
    'a disk that is full within a day',
    { disk: { freeBytes: 50 * GB, totalBytes: 100 * GB, level: 'ok', daysLeft: 0.6 } },
    'disk',
  ],
])('is critical with %s', (_, changes, kind) => {
  expect(found(changes as Partial<ServiceFacts>)).toMatchObject({ state: 'critical', problems: [{ kind }] });
});

const [consumer] = WELL.backlog.consumers;
const backlog = (changes: Partial<ServiceFacts['backlog']>) => ({ backlog: { ...WELL.backlog, ...changes } });
it.each([
  ['mail that is late', { oldestDueAt: ago(301) }, 'late'],
  ['a consumer that is behind', backlog({ consumers: [{ ...consumer, isBehind: true }] }), 'event_log'],
  ['parked events', backlog({ consumers: [{ ...consumer, parked: 1 }] }), 'event_log'],
  ['events outside of the log', backlog({ isOutboxLate: true, outboxSeconds: 61 }), 'event_log'],
  [
    'less than a fifth of the disk',
    { disk: { freeBytes: 19 * GB, totalBytes: 100 * GB, level: 'warning', daysLeft: null } },
    'disk',
  ],
  [
    'a disk that is full within two weeks',
    { disk: { freeBytes: 9 * GB, totalBytes: 20 * GB, level: 'ok', daysLeft: 13.9 } },
    'disk',
  ],
])('warns of %s', (_, changes, kind) => {
  expect(found(changes as Partial<ServiceFacts>)).toMatchObject({ state: 'warning', problems: [{ kind }] });
});

it('reports data that should have been deleted, once', () => {
  const lateData = [
    { name: 'messages', since: ago(90_000) },
    { name: 'contents', since: ago(172_800) },
  ];
  expect(found({ lateData })).toEqual({
    state: 'warning',
    problems: [
      {
        kind: 'retention',
        severity: 'warning',
        message: 'Data whose time is over is not deleted: messages, contents.',
        reply: null,
        since: ago(172_800),
      },
    ],
  });
});

it('reports a certificate that has expired as critical, and one that soon will as a warning', () => {
  const certificates = [{ setting: 'SMTP_TLS_CERT', level: 'warning', message: 'It expires on 2026-12-01.' }] as const;
  expect(found({ certificates })).toMatchObject({ state: 'warning', problems: [{ kind: 'certificate' }] });
  expect(found({ certificates: [{ ...certificates[0], level: 'error' }] })).toMatchObject({
    state: 'critical',
    problems: [{ message: 'SMTP_TLS_CERT: It expires on 2026-12-01.' }],
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { simulations, type EventData, type Simulation } from '#libs/contracts';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { reportedEmails } from '#libs/queue';
import type { LateReport } from '../../../libs/queue/src/settle/late-bounce.js';
import {
  openQueueFixture,
  submission,
  type QueueProcess,
  type QueueFixture,
} from '../../support/delivery/queue-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

const VISITOR = { ip: null, userAgent: null, botKind: null };
const COMPLAINT: LateReport = { kind: 'complained', feedbackType: 'abuse', reporter: null, userAgent: null };
const LATE_BOUNCE: LateReport = {
  kind: 'bounced',
  type: 'hard',
  class: 'invalid_recipient',
  text: 'no such user',
  code: 550,
  enhanced: '5.1.1',
  mx: 'mx.example',
  ip: null,
};

describe('what is simulated, and what comes after delivery, on a real database', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    for (const table of ['emails', 'recipients', 'email_contents', 'outbox', 'attempts', 'suppressions'])
      await fixture.db.database.query(`DELETE FROM ${table}`);
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const accept = (over: Parameters<typeof submission>[1] = {}) =>
    program.intake.accept(submission(fixture.accountId, over));
  const mailOf = async (id: string) =>
    (await rows<{ status: string; last_event: string }>('SELECT status, last_event FROM emails WHERE id = $1', id))[0];
  const recipientsOf = (id: string) =>
    rows<{ status: string; attempts: number; due_at: Date | null; smtp_code: number; smtp_enhanced: string }>(
      'SELECT status, attempts, due_at, smtp_code, smtp_enhanced FROM recipients WHERE email_id = $1 ORDER BY ordinal',
      id,
    );
  const eventsOf = (id: string) =>
    rows<{ type: string; sequence: number; test: boolean; data: Record<string, unknown> }>(
      `SELECT type, sequence, test, data FROM ${OUTBOX_EVENTS} WHERE key = $1 ORDER BY sequence`,
      id,
    );
  const claim = async () => (await program.queue.claim(10))[0];
  const taken = (ordinal: number): Outcome => ({
    key: String(ordinal),
    kind: 'delivered',
    reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
    remote: { ...NO_REMOTE, mx: 'mx.example', ip: '192.0.2.1' },
    startedAt: new Date(),
    endedAt: new Date(),
  });
  async function simulated(name: string, over: Parameters<typeof submission>[1] = { mode: 'test' }) {
    const { id } = await accept(over);
    const job = await claim();
    const simulation = simulations.parse(name) as Simulation;
    await program.queue.settleSimulated(
      job,
      job.recipients.map((recipient) => ({
        recipient,
        simulation,
        startedAt: new Date(),
        clickUrl: 'https://one.example',
      })),
    );
    const events = await eventsOf(id);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
    return { id, job, mail: await mailOf(id), recipients: await recipientsOf(id), events };
  }

  const SENT = ['email.queued', 'email.sent'];
  it.each([
    ['delivered', 'delivered', 'delivered', [...SENT, 'email.delivered'], 250],
    ['ooto', 'delivered', 'delivered', [...SENT, 'email.delivered'], 250],
    ['bounced', 'bounced', 'bounced', [...SENT, 'email.bounced'], 550],
    ['softbounced', 'bounced', 'bounced', [...SENT, 'email.bounced'], 552],
    ['deferred', 'deferred', 'delivery_delayed', [...SENT, 'email.failed'], 451],
    ['failed', 'failed', 'failed', [...SENT, 'email.failed'], 451],
    ['complained', 'complained', 'complained', [...SENT, 'email.delivered', 'email.complained'], 250],
    ['suppressed', 'suppressed', 'suppressed', ['email.queued', 'email.suppressed'], null],
    ['opened', 'delivered', 'opened', [...SENT, 'email.delivered', 'email.opened'], 250],
    ['clicked', 'delivered', 'clicked', [...SENT, 'email.delivered', 'email.clicked'], 250],
  ])('%s ends as %s, last event %s, with its events in order', async (name, status, lastEvent, types, code) => {
    const { mail, recipients, events } = await simulated(name);
    expect(mail).toEqual({ status, last_event: lastEvent });
    expect(recipients).toMatchObject([{ status, smtp_code: code, attempts: code === null ? 0 : 1 }]);
    expect(events.map(({ type }) => type)).toEqual(types);
    for (const { test, data } of events) expect([test, data['mode']]).toEqual([true, 'test']);
    expect(await rows('SELECT 1 FROM suppressions')).toEqual([]);
  });

  it('tells the details of the table', async () => {
    const last = async (name: string) => (await simulated(name)).events.at(-1)?.data;
    expect(await last('bounced')).toMatchObject({ bounce_type: 'hard', smtp_code: 550, enhanced_code: '5.1.1' });
    expect(await last('softbounced')).toMatchObject({ bounce_type: 'soft', smtp_code: 552, enhanced_code: '5.2.2' });
    expect(await last('failed')).toMatchObject({ failure_type: 'final', temporary: false, next_attempt_at: null });
    expect(await last('suppressed')).toMatchObject({ reason: 'manual', suppressed: { type: 'manual' } });
    expect(await last('complained')).toMatchObject({ feedback_type: 'abuse', complaint: { type: 'abuse' } });
    expect(await last('opened')).toMatchObject({ open_count: 1, is_bot: false, ip: null });
    expect(await last('clicked')).toMatchObject({ click_url: 'https://one.example', is_bot: false });
  });

  it('adds no suppression for a live mail either, and its events are no test events', async () => {
    const { mail, events } = await simulated('bounced', { toAddresses: ['bounced@sim.postloft.test'] });
    expect(mail.status).toBe('bounced');
    expect(events.some(({ test, data }) => test || 'mode' in data)).toBe(false);
    expect(await rows('SELECT 1 FROM suppressions')).toEqual([]);
  });

  it('defers by the schedule, tells the failure once, and gives up at the end of the lifetime', async () => {
    const { id, events, recipients } = await simulated('deferred');
    const { failure_type, next_attempt_at } = events[events.length - 1].data as unknown as EventData['email.failed'];
    expect(failure_type).toBe('temporary');
    expect(recipients[0].due_at?.toISOString()).toBe(next_attempt_at);
    const again = async () => {
      await fixture.db.database.query('UPDATE recipients SET due_at = now()');
      const job = await claim();
      const simulation = simulations.parse('deferred') as Simulation;
      await program.queue.settleSimulated(job, [
        { recipient: job.recipients[0], simulation, startedAt: new Date(), clickUrl: '' },
      ]);
    };
    await again();
    expect((await eventsOf(id)).length).toBe(events.length);
    await fixture.db.database.query('UPDATE recipients SET expires_at = now()');
    await again();
    expect(await mailOf(id)).toEqual({ status: 'failed', last_event: 'failed' });
    expect((await eventsOf(id)).slice(events.length)).toMatchObject([
      { type: 'email.failed', data: { failure_type: 'final' } },
    ]);
  });

  it('keeps a postponed mail until its time, as one that was never tried', async () => {
    const { id } = await accept();
    await program.queue.requeue(await claim(), new Date(Date.now() + 60_000));
    expect(await program.queue.claim(10)).toEqual([]);
    expect(await recipientsOf(id)).toMatchObject([{ status: 'queued', attempts: 0 }]);
    await fixture.db.database.query('UPDATE recipients SET due_at = now()');
    expect((await claim()).recipients[0].attempts).toBe(0);
  });

  describe('a report after delivery', () => {
    const delivered = async () => {
      const { id } = await accept({ toAddresses: ['a@one.example', 'b@one.example'] });
      const job = await claim();
      await program.queue.settle(
        job,
        job.recipients.map(({ ordinal }) => taken(ordinal)),
      );
      const report = (of: LateReport, ordinal = 0) =>
        fixture.db.database.transaction((tx) =>
          reportedEmails.recordLate(tx, {
            email: job.email,
            recipient: job.recipients[ordinal],
            at: new Date(),
            report: of,
          }),
        );
      const statuses = async () => (await recipientsOf(id)).map(({ status }) => status);
      return { id, report, statuses };
    };

    it('makes a delivered recipient complained or bounced, and the mail by the worst', async () => {
      const { id, report, statuses } = await delivered();
      expect(await report(LATE_BOUNCE, 1)).toBe(true);
      expect(await mailOf(id)).toEqual({ status: 'bounced', last_event: 'bounced' });
      expect(await report(COMPLAINT, 0)).toBe(true);
      expect(await statuses()).toEqual(['complained', 'bounced']);
      expect(await mailOf(id)).toEqual({ status: 'complained', last_event: 'complained' });
    });

    it('counts once and never undoes what was worse, whoever comes first of twenty', async () => {
      const { id, report, statuses } = await delivered();
      const before = (await eventsOf(id)).length;
      const told = await Promise.all(Array.from({ length: 20 }, (_, i) => report(i % 2 ? COMPLAINT : LATE_BOUNCE)));
      expect(told.filter(Boolean)).toHaveLength(1);
      expect((await eventsOf(id)).length).toBe(before + 1);
      const settled = await statuses();
      expect(await report(COMPLAINT)).toBe(false);
      expect(await report(LATE_BOUNCE)).toBe(false);
      expect(await statuses()).toEqual(settled);
    });

    it('tells each open and click and leaves the status alone, also after a complaint', async () => {
      const { id, report } = await delivered();
      await report({ kind: 'opened', count: 1, ...VISITOR });
      expect(await mailOf(id)).toEqual({ status: 'delivered', last_event: 'opened' });
      await report(COMPLAINT);
      await report({ kind: 'clicked', url: 'https://one.example', ...VISITOR });
      expect(await mailOf(id)).toEqual({ status: 'complained', last_event: 'clicked' });
      const events = await eventsOf(id);
      expect(events.slice(-3).map(({ type }) => type)).toEqual(['email.opened', 'email.complained', 'email.clicked']);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
    });

    it('changes nothing of a mail that is still on its way', async () => {
      await accept();
      const job = await claim();
      const late = { email: job.email, recipient: job.recipients[0], at: new Date(), report: COMPLAINT };
      expect(await fixture.db.database.transaction((tx) => reportedEmails.recordLate(tx, late))).toBe(false);
    });
  });

  it('keeps with a suppression what was seen of the bounce', async () => {
    const { id } = await accept({ toAddresses: ['Gone@one.example'] });
    const bounced = {
      ...taken(0),
      kind: 'bounced',
      phase: 'rcpt',
      class: 'invalid_recipient',
      bounceType: 'hard',
      reply: { code: 550, enhanced: '5.1.1', text: 'no such user' },
    } as Outcome;
    await program.queue.settle(await claim(), [bounced]);
    expect(await rows('SELECT address, evidence FROM suppressions')).toEqual([
      {
        address: 'gone@one.example',
        evidence: {
          email_id: id,
          recipient: 'Gone@one.example',
          smtp_code: 550,
          enhanced_code: '5.1.1',
          text: 'no such user',
          mx: 'mx.example',
          feedback_type: null,
          at: expect.stringMatching(/Z$/),
        },
      },
    ]);
  });

  describe('the second look at claim', () => {
    it('fails mail whose domain is gone, finally and once, and leaves other mail alone', async () => {
      const gone = await accept();
      const scheduled = await accept({ scheduledAt: new Date(Date.now() + 3_600_000) });
      await fixture.db.database.query(`UPDATE emails SET domain_id = 'dom_gone'`);
      await fixture.db.database.query('UPDATE recipients SET due_at = now()');
      const fine = await accept();
      expect((await program.queue.claim(10)).map(({ email }) => email.id)).toEqual([fine.id]);
      for (const { id } of [gone, scheduled]) {
        expect(await mailOf(id)).toEqual({ status: 'failed', last_event: 'failed' });
        expect((await eventsOf(id)).at(-1)).toMatchObject({
          type: 'email.failed',
          data: { failure_type: 'final', reason: expect.stringMatching(/^domain_removed/), next_attempt_at: null },
        });
      }
      expect(await program.queue.claim(10)).toEqual([]);
    });

    it('does not send what is past its lifetime, nor holds it for a blocked account', async () => {
      const { id } = await accept({ lifetimeSeconds: 300 });
      const [{ left }] = await rows<{ left: number }>(
        'SELECT extract(epoch FROM expires_at - now())::float AS left FROM recipients WHERE email_id = $1',
        id,
      );
      expect(Math.abs(left - 300)).toBeLessThan(30);
      await program.accounts.setStanding(fixture.accountId, 'blocked');
      await fixture.db.database.query(`UPDATE recipients SET expires_at = now() - interval '61 seconds'`);
      expect(await program.queue.claim(10)).toEqual([]);
      await program.accounts.setStanding(fixture.accountId, 'active');
      expect(await mailOf(id)).toEqual({ status: 'failed', last_event: 'failed' });
      expect((await eventsOf(id)).at(-1)).toMatchObject({
        type: 'email.failed',
        data: { failure_type: 'final', attempt: 0, enhanced_code: '5.4.7' },
      });
    });
  });
});

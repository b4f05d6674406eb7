import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Log, Metrics } from '#libs/kernel';
import { type InboundReport, mailReports } from '#libs/mime';
import { Counter } from 'prom-client';
import type { InboundMessage } from './inbound-message.js';
import { needsOperator, type InboundResult } from './inbound-result.js';
import { InboundStore } from './inbound-store.js';

/** Records the result of each inbound message: counter, log line, and a copy of a message that an operator should read. */
@Injectable()
export class InboundRecords {
  private readonly counter: Counter<'kind' | 'verdict'>;

  constructor(
    private readonly store: InboundStore,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.counter = new Counter({
      name: 'postloft_inbound_total',
      help: 'Inbound messages by kind and result',
      labelNames: ['kind', 'verdict'],
      registers: [metrics.registry],
    });
  }

  /** The sending server repeats the message. Errors that are no refusals are logged by the session. */
  postponed(kind: InboundReport['kind'], error: unknown): void {
    this.counter.inc({ kind, verdict: 'postponed' });
    if (error instanceof Refusal) this.log.info('inbound mail', { kind, verdict: 'postponed' });
  }

  async processed(inbound: InboundMessage, report: InboundReport, result: InboundResult): Promise<void> {
    const { kind } = report;
    const { verdict, note, emailId } = result;
    const stored = needsOperator(result) || hasRoleMailbox(inbound) ? await this.keep(inbound, report, result) : null;
    this.counter.inc({ kind, verdict });
    this.log.info('inbound mail', { kind, verdict, note, email: emailId, stored, size: inbound.message.length });
  }

  private keep(inbound: InboundMessage, report: InboundReport, result: InboundResult): Promise<string> {
    const { mailFrom, rcptTo, remoteIp, helo, message } = inbound;
    return this.store.keep({
      mail_from: mailFrom,
      rcpt_to: [...rcptTo],
      remote_ip: remoteIp,
      helo,
      subject: mailReports.subjectOf(message),
      verdict: result.verdict,
      note: result.note,
      reported: reportedAddresses(report),
      email_id: result.emailId,
      message,
    });
  }
}

/** Role mailboxes are read by people, except `fbl@`, which receives machine-readable reports. */
const hasRoleMailbox = ({ mailboxes }: InboundMessage): boolean =>
  mailboxes.some((mailbox) => mailbox.kind === 'role' && mailbox.role !== 'fbl');

function reportedAddresses(report: InboundReport): string[] {
  if (report.kind === 'feedback') return report.recipients;
  if (report.kind === 'automatic') return report.failed;
  if (report.kind !== 'delivery') return [];
  return report.recipients.flatMap(
    ({ finalRecipient, originalRecipient }) => finalRecipient ?? originalRecipient ?? [],
  );
}

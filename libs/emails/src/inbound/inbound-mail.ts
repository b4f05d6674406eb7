import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Config, Log, Metrics, Wakeups } from '#libs/kernel';
import { readReport, reportSubject, type InboundReport } from '#libs/mime';
import { Counter } from 'prom-client';
import type { TokenName } from '../mail-token.js';
import { ReturnPath } from '../return-path.js';
import { isForOperator, type Finding } from './finding.js';
import { InboundStore } from './inbound-store.js';
import { ReportedBounces } from './reported-bounces.js';
import { ReportedComplaints } from './reported-complaints.js';

/** Mailboxes that the service keeps at its own domain (details §10, RFC 2142). */
export const INBOUND_ROLES = ['abuse', 'dmarc', 'fbl', 'postmaster', 'tlsrpt'] as const;
export type InboundRole = (typeof INBOUND_ROLES)[number];

/** Where a recipient of the inbound door leads. */
export type InboundPlace = { kind: 'return_path'; name: TokenName } | { kind: 'role'; role: InboundRole };

/** One message of the inbound door, as its transaction had it. */
export interface InboundLetter {
  /** Empty for the null sender. */
  mailFrom: string;
  rcptTo: readonly string[];
  /** Of `rcptTo`, in its order. */
  places: readonly InboundPlace[];
  remoteIp: string;
  message: Buffer;
}

/** What comes in from outside: bounces, complaints, and mail to the service's own mailboxes. It is never answered. */
@Injectable()
export class InboundMail {
  private readonly serviceDomain: string;
  private readonly counter: Counter<'kind' | 'verdict'>;

  constructor(
    private readonly returnPath: ReturnPath,
    private readonly bounces: ReportedBounces,
    private readonly complaints: ReportedComplaints,
    private readonly store: InboundStore,
    private readonly wakeups: Wakeups,
    private readonly log: Log,
    config: Config,
    metrics: Metrics,
  ) {
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
    this.counter = new Counter({
      name: 'postloft_inbound_total',
      help: 'Messages of the inbound door by kind and by what became of them',
      labelNames: ['kind', 'verdict'],
      registers: [metrics.registry],
    });
  }

  /** Null for every address that takes no mail here. */
  place(address: string): InboundPlace | null {
    const name = this.returnPath.read(address);
    if (name) return { kind: 'return_path', name };
    const [local, domain = ''] = address.toLowerCase().split('@');
    const role = INBOUND_ROLES.find((word) => word === local);
    return role !== undefined && this.hasRole(role, domain) ? { kind: 'role', role } : null;
  }

  /**
   * RFC 5321 §4.5.1: postmaster is one at every name that mail comes in under, also below the customers' domains. As with
   * return paths nobody looks up whose name it is.
   */
  private hasRole(role: InboundRole, domain: string): boolean {
    if (domain === this.serviceDomain) return true;
    return role === 'postmaster' && (domain === `smtp.${this.serviceDomain}` || domain.startsWith('bounces.'));
  }

  /**
   * Resolves when what the message says is on disk.
   * @throws Refusal, a temporary one, when it is about a mail whose own delivery has not been written down yet.
   */
  async receive(letter: InboundLetter): Promise<void> {
    const report = readReport(letter.message);
    const finding = await this.findingOf(letter, report).catch((error: unknown) => {
      this.counter.inc({ kind: report.kind, verdict: 'postponed' });
      if (error instanceof Refusal) this.log.info('inbound mail', { kind: report.kind, verdict: 'postponed' });
      throw error;
    });
    const { verdict, note, emailId } = finding;
    if (verdict === 'applied') this.wakeups.ring('outbox');
    const stored = isForOperator(finding) || isForPeople(letter) ? await this.keep(letter, finding) : null;
    this.counter.inc({ kind: report.kind, verdict });
    this.log.info('inbound mail', {
      kind: report.kind,
      verdict,
      note,
      email: emailId,
      stored,
      size: letter.message.length,
    });
  }

  private async findingOf({ places }: InboundLetter, report: InboundReport): Promise<Finding> {
    const tokens = tokensOf(places);
    switch (report.kind) {
      case 'delivery':
        return tokens.length === 0 ? KEPT : this.bouncesOf(tokens, report);
      case 'feedback':
        return this.complaints.apply(report, tokens);
      case 'automatic':
        return tokens.length === 0 ? KEPT : { verdict: 'ignored', note: null, emailId: tokens[0].emailId };
      case 'unknown':
        return tokens.length === 0
          ? KEPT
          : { verdict: 'kept', note: 'no report that could be read', emailId: tokens[0].emailId };
    }
  }

  /** One after the other: a report goes to one return path, more of them are somebody's experiment. */
  private async bouncesOf(
    tokens: readonly TokenName[],
    report: Extract<InboundReport, { kind: 'delivery' }>,
  ): Promise<Finding> {
    const findings: Finding[] = [];
    for (const name of tokens) findings.push(await this.bounces.apply(name, report));
    return findings.find(({ verdict }) => verdict === 'applied') ?? findings[0];
  }

  private keep({ mailFrom, rcptTo, remoteIp, message }: InboundLetter, finding: Finding): Promise<string> {
    return this.store.keep({
      mail_from: mailFrom,
      rcpt_to: [...rcptTo],
      remote_ip: remoteIp,
      subject: reportSubject(message),
      verdict: finding.verdict,
      note: finding.note,
      email_id: finding.emailId,
      message,
    });
  }
}

const KEPT: Finding = { verdict: 'kept', note: null, emailId: null };

/** Somebody reads these mailboxes; `fbl@` is for programs, which leave there what they understood. */
const isForPeople = ({ places }: InboundLetter): boolean =>
  places.some((place) => place.kind === 'role' && place.role !== 'fbl');

function tokensOf(places: readonly InboundPlace[]): TokenName[] {
  const names = places.flatMap((place) => (place.kind === 'return_path' ? [place.name] : []));
  return [...new Map(names.map((name) => [`${name.emailId} ${name.ordinal}`, name])).values()];
}

import type { CourierTimeouts } from '../courier.js';
import type { DeliveryPhase } from '../delivery-outcome.js';
import type { RawReply } from './reply-reader.js';
import { toServerReply } from '../replies/server-reply.js';
import type { SmtpConnection } from './connection.js';
import { SmtpFailure } from './failure.js';

export interface Envelope {
  /** Everything between `MAIL FROM:` and the line end. */
  from: string;
  /** Wire addresses, at least one. */
  to: string[];
}

/** The replies of one transaction; null where no reply came. */
export interface TransactionReport {
  mail: RawReply | null;
  /** In the order of `Envelope.to`. */
  rcpt: (RawReply | null)[];
  /** The reply that decided for the accepted recipients, and its command. */
  final: { phase: 'data' | 'dot'; reply: RawReply } | null;
  /** Why the dialogue ended. The connection is closed then. */
  failure: SmtpFailure | null;
  /** The last byte of the final dot was passed to the kernel. */
  dotWritten: boolean;
  /** There were more replies than commands, so a refusal cannot be assigned to a command. */
  outOfStep: boolean;
}

type Step = 'rset' | 'mail' | 'rcpt' | 'data' | 'reset_check' | 'dot' | 'lone_dot';

/**
 * One transaction, from MAIL to the final dot, on a connection after its handshake. It is a state machine driven by
 * replies, without a promise per reply. With PIPELINING everything up to DATA is sent in one write (RFC 2920 §3.1),
 * else step by step. Replies are assigned in order in both cases, so a server that replies late, early or in bulk
 * cannot shift them.
 */
export class SmtpTransaction {
  private readonly report: TransactionReport;
  private readonly pipelined: boolean;
  private step: Step;
  private answered = 0;
  private accepted = 0;

  constructor(
    private readonly connection: SmtpConnection,
    private readonly envelope: Envelope,
    private readonly work: { content: readonly Buffer[]; limits: CourierTimeouts },
  ) {
    const rcpt = envelope.to.map(() => null);
    this.report = { mail: null, rcpt, final: null, failure: null, dotWritten: false, outOfStep: false };
    this.pipelined = connection.extensions.pipelining;
    this.step = connection.needsReset ? 'rset' : 'mail';
  }

  /** Calls `done` exactly once. The connection is free again then, or has failed. */
  start(done: (report: TransactionReport) => void): void {
    const { connection } = this;
    connection.transactions += 1;
    if (connection.failure !== null) {
      this.report.failure = connection.failure;
      done(this.report);
      return;
    }
    connection.onReply = (reply) => {
      if (this.read(reply)) this.end(done);
    };
    connection.onFailure = (failure) => {
      this.report.failure = failure;
      this.end(done);
    };
    this.open();
  }

  private open(): void {
    const { connection, envelope } = this;
    const opening = `${this.step === 'rset' ? 'RSET\r\n' : ''}MAIL FROM:${envelope.from}\r\n`;
    connection.arm('mail', this.work.limits.mail);
    if (!this.pipelined) {
      connection.send(this.step === 'rset' ? 'RSET\r\n' : opening);
      return;
    }
    let group = opening;
    for (const address of envelope.to) group += `RCPT TO:<${address}>\r\n`;
    connection.send(`${group}DATA\r\n`);
  }

  private end(done: (report: TransactionReport) => void): void {
    const { connection } = this;
    // Without `this`, so that an idle connection does not keep its last message in memory.
    connection.onReply = () => connection.abort('the peer spoke without being asked');
    connection.onFailure = () => undefined;
    done(this.report);
  }

  /** True when the transaction is over. */
  private read(reply: RawReply): boolean {
    if (reply.code === null || reply.code === 421) {
      // Out of step, or the server is closing: no further command makes sense on this connection.
      this.connection.fail(new SmtpFailure({ phase: this.phase(), reply: toServerReply(reply), answered: true }));
      return false;
    }
    if (this.isEarly()) return this.abortOutOfStep();
    switch (this.step) {
      case 'rset':
      case 'reset_check':
        return this.onReset(reply.code);
      case 'mail':
        return this.onMail(reply, reply.code);
      case 'rcpt':
        return this.onRecipient(reply, reply.code);
      case 'data':
        return this.onData(reply, reply.code);
      case 'dot':
        return this.onDot(reply, reply.code);
      case 'lone_dot':
        this.connection.needsReset = false;
        return true;
    }
  }

  /** Without pipelining no reply may come before its command. After the final dot it does not matter any more. */
  private isEarly(): boolean {
    return !this.pipelined && this.step !== 'dot' && this.connection.hasUnread;
  }

  private onReset(code: number): boolean {
    if (code >= 300) return this.abortOutOfStep();
    this.connection.needsReset = false;
    if (this.step === 'reset_check') return true;
    this.step = 'mail';
    if (!this.pipelined) this.connection.send(`MAIL FROM:${this.envelope.from}\r\n`);
    return false;
  }

  private onMail(reply: RawReply, code: number): boolean {
    this.report.mail = reply;
    if (code < 300) this.connection.needsReset = true;
    else if (!this.pipelined) return true;
    this.step = 'rcpt';
    this.connection.arm('rcpt', this.work.limits.rcpt);
    if (!this.pipelined) this.connection.send(`RCPT TO:<${this.envelope.to[0]}>\r\n`);
    return false;
  }

  private onRecipient(reply: RawReply, code: number): boolean {
    this.report.rcpt[this.answered] = reply;
    this.answered += 1;
    if (code < 300) this.accepted += 1;
    const { to } = this.envelope;
    if (this.answered < to.length) {
      this.connection.arm('rcpt', this.work.limits.rcpt);
      if (!this.pipelined) this.connection.send(`RCPT TO:<${to[this.answered]}>\r\n`);
      return false;
    }
    if (!this.pipelined && this.accepted === 0) return true;
    this.step = 'data';
    this.connection.arm('data', this.work.limits.data);
    if (!this.pipelined) this.connection.send('DATA\r\n');
    return false;
  }

  private onData(reply: RawReply, code: number): boolean {
    const wanted = this.accepted > 0 && isPositive(this.report.mail);
    if (code === 354) {
      this.connection.arm('dot', this.work.limits.dot);
      if (wanted) this.sendContent();
      else this.sendLoneDot();
      return false;
    }
    if (wanted) this.report.final = { phase: 'data', reply };
    // 2xx or another 3xx: it is unknown whether the server expects a message now.
    if (code < 400 || this.connection.hasUnread) return this.abortOutOfStep();
    if (!wanted) return true;
    // Recipients were accepted, so this may be the late refusal of one of them. The reply to RSET shows it.
    this.step = 'reset_check';
    this.connection.arm('data', this.work.limits.data);
    this.connection.send('RSET\r\n');
    return false;
  }

  private abortOutOfStep(): false {
    this.report.outOfStep = true;
    this.connection.abort('replies and commands are out of step');
    return false;
  }

  private sendContent(): void {
    this.step = 'dot';
    this.connection.sendContent(this.work.content, () => {
      this.report.dotWritten = true;
    });
  }

  /** RFC 2920 §3.1: a 354 without an accepted recipient is answered with the final dot alone. */
  private sendLoneDot(): void {
    this.step = 'lone_dot';
    this.connection.send('.\r\n');
  }

  private onDot(reply: RawReply, code: number): boolean {
    this.connection.needsReset = false;
    if (this.report.dotWritten) {
      this.report.final = { phase: 'dot', reply };
      return true;
    }
    // A refusal in the middle of the message counts, an acceptance of half a message does not. The replies are out of step in both cases.
    if (code >= 400) this.report.final = { phase: 'dot', reply };
    this.connection.abort('the peer answered before the end of the mail');
    return false;
  }

  private phase(): DeliveryPhase {
    switch (this.step) {
      case 'rset':
      case 'mail':
        return 'mail';
      case 'lone_dot':
        return 'dot';
      case 'reset_check':
        return 'data';
      case 'rcpt':
      case 'data':
      case 'dot':
        return this.step;
    }
  }
}

function isPositive(reply: RawReply | null): boolean {
  return reply !== null && reply.code !== null && reply.code < 300;
}

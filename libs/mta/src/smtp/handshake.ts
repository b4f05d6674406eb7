import type { CourierTimeouts } from '../courier.js';
import type { DeliveryPhase } from '../delivery-outcome.js';
import type { RawReply } from './reply-reader.js';
import { toServerReply } from '../replies/server-reply.js';
import { SmtpConnection } from './connection.js';
import { NO_EXTENSIONS, readExtensions } from './extensions.js';
import { SmtpFailure } from './failure.js';
import type { MxEndpoint } from '../routing/mx-endpoint.js';
import { brokenHandshake, unencrypted, unverified } from '../tls/policy-failure.js';
import { verifyRequirement } from '../tls/verify-requirement.js';

export interface HandshakeSettings {
  heloName: string;
  timeouts: CourierTimeouts;
}

/** In milliseconds. A TLS handshake takes a few round trips; a slower one counts as broken. */
const TLS_MS = 20_000;

/**
 * Prepares a new connection for MAIL: TCP, greeting, EHLO (or HELO), STARTTLS, login. Rejects with `SmtpFailure` and a
 * destroyed connection.
 */
export async function shakeHands(connection: SmtpConnection, settings: HandshakeSettings): Promise<void> {
  try {
    await new Handshake(connection, settings).run();
  } catch (error) {
    const failure = asFailure(error);
    connection.fail(failure);
    throw failure;
  }
}

class Handshake {
  private readonly endpoint: MxEndpoint;
  private readonly heloName: string;

  constructor(
    private readonly connection: SmtpConnection,
    private readonly settings: HandshakeSettings,
  ) {
    this.endpoint = connection.endpoint;
    this.heloName = connection.endpoint.source?.heloName ?? settings.heloName;
  }

  async run(): Promise<void> {
    const { connection, settings } = this;
    connection.arm('connect', settings.timeouts.connect);
    await connection.connected();
    if (this.endpoint.tls === 'implicit') await this.secure();
    connection.arm('greeting', settings.timeouts.greeting);
    expect2xx('greeting', await connection.ask(null));
    await this.sendEhlo();
    if (this.endpoint.tls === 'opportunistic' && connection.extensions.startTls) await this.startTls();
    if (connection.tlsSession === null && this.endpoint.requirement.kind !== 'none')
      throw unencrypted(
        this.endpoint,
        connection.extensions.startTls ? 'it refuses STARTTLS' : 'it offers no STARTTLS',
      );
    if (this.endpoint.login !== null) await this.logIn(this.endpoint.login);
  }

  private async sendEhlo(): Promise<void> {
    const { connection, settings } = this;
    connection.arm('ehlo', settings.timeouts.ehlo);
    const reply = await connection.ask(`EHLO ${this.heloName}`);
    if (reply.code !== null && reply.code >= 500) {
      // RFC 5321 §3.2: a server that does not support EHLO gets HELO, and has no extensions.
      connection.extensions = NO_EXTENSIONS;
      connection.arm('ehlo', settings.timeouts.ehlo);
      expect2xx('ehlo', await connection.ask(`HELO ${this.heloName}`));
      return;
    }
    expect2xx('ehlo', reply);
    connection.extensions = readExtensions(reply.raw);
  }

  /** After a refusal of STARTTLS the connection can be used in plain text; after a failed handshake it cannot. */
  private async startTls(): Promise<void> {
    this.connection.arm('tls', this.settings.timeouts.ehlo);
    const reply = await this.connection.ask('STARTTLS');
    if (reply.code === 421) throw refused('tls', reply);
    if (reply.code === null) throw malformed(reply);
    if (reply.code !== 220) return;
    await this.secure();
    await this.sendEhlo();
  }

  private async secure(): Promise<void> {
    const { connection, settings } = this;
    const endpoint = this.endpoint;
    connection.arm('tls', Math.min(TLS_MS, settings.timeouts.ehlo));
    const session = await connection.secure().catch((error: unknown) => {
      if (endpoint.requirement.kind === 'none' || !(error instanceof SmtpFailure)) throw error;
      throw brokenHandshake(endpoint, error);
    });
    const fault = verifyRequirement(endpoint.requirement, session);
    if (fault !== null) throw unverified(endpoint, fault, session);
  }

  private async logIn(login: { user: string; password: string }): Promise<void> {
    const { connection, settings } = this;
    connection.arm('auth', settings.timeouts.ehlo);
    const reply = await logIn(login, connection.extensions.auth, (line) => connection.ask(line));
    if (reply === null) throw localFailure('auth', 'the smarthost offers neither AUTH PLAIN nor AUTH LOGIN');
    if (reply.code !== 235) throw refused('auth', reply);
  }
}

function expect2xx(phase: DeliveryPhase, reply: RawReply): void {
  if (reply.code === null || reply.code >= 300) throw refused(phase, reply);
}

function refused(phase: DeliveryPhase, reply: RawReply): SmtpFailure {
  return new SmtpFailure({ phase, reply: toServerReply(reply), answered: true });
}

/** A malformed reply to STARTTLS is treated like a failed handshake. */
function malformed(reply: RawReply): SmtpFailure {
  return new SmtpFailure({ phase: 'tls', reply: toServerReply(reply) });
}

function localFailure(phase: DeliveryPhase, text: string): SmtpFailure {
  return new SmtpFailure({ phase, reply: { code: null, enhanced: '4.7.0', text } });
}

function asFailure(error: unknown): SmtpFailure {
  return error instanceof SmtpFailure ? error : localFailure('connect', String(error));
}

/**
 * Logs in (RFC 4954) with AUTH PLAIN, or with LOGIN if only that is offered. `offered` has the mechanisms in upper
 * case.
 * @returns the last reply, 235 on success; null: neither is offered, and nothing was sent
 */
export async function logIn(
  login: { user: string; password: string },
  offered: ReadonlySet<string>,
  ask: (line: string) => Promise<RawReply>,
): Promise<RawReply | null> {
  if (offered.has('PLAIN')) return ask(`AUTH PLAIN ${base64(`\0${login.user}\0${login.password}`)}`);
  if (!offered.has('LOGIN')) return null;
  let reply = await ask('AUTH LOGIN');
  if (reply.code === 334) reply = await ask(base64(login.user));
  if (reply.code === 334) reply = await ask(base64(login.password));
  return reply;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

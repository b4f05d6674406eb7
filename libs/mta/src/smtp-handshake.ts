import type { CourierTimeouts } from './courier.js';
import type { DeliveryPhase } from './delivery-outcome.js';
import type { RawReply } from './reply-reader.js';
import { toServerReply } from './server-reply.js';
import { SmtpConnection } from './smtp-connection.js';
import { NO_EXTENSIONS, readExtensions } from './smtp-extensions.js';
import { SmtpFailure } from './smtp-failure.js';
import { logIn } from './smtp-login.js';
import type { Target } from './target.js';
import { brokenHandshake, unencrypted, unproved } from './tls-policy/policy-failure.js';
import { proofDoubt } from './tls-policy/proof-doubt.js';

export interface HandshakeSettings {
  heloName: string;
  timeouts: CourierTimeouts;
}

/** A handshake takes some round trips; whoever takes longer has a broken TLS. Milliseconds. */
const TLS_MS = 20_000;

/**
 * Brings a fresh connection to the point where MAIL may follow: TCP, banner, EHLO (or HELO), STARTTLS, login. Rejects
 * with `SmtpFailure` and a destroyed connection.
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
  readonly #target: Target;
  readonly #heloName: string;

  constructor(
    private readonly connection: SmtpConnection,
    private readonly settings: HandshakeSettings,
  ) {
    this.#target = connection.target;
    this.#heloName = connection.target.source?.heloName ?? settings.heloName;
  }

  async run(): Promise<void> {
    const { connection, settings } = this;
    connection.arm('connect', settings.timeouts.connect);
    await connection.connected();
    if (this.#target.tls === 'implicit') await this.#secure();
    connection.arm('greeting', settings.timeouts.greeting);
    expect2xx('greeting', await connection.ask(null));
    await this.#introduce();
    if (this.#target.tls === 'opportunistic' && connection.extensions.startTls) await this.#startTls();
    if (connection.secured === null && this.#target.proof.kind !== 'none')
      throw unencrypted(this.#target, connection.extensions.startTls ? 'it refuses STARTTLS' : 'it offers no STARTTLS');
    if (this.#target.login !== null) await this.#logIn(this.#target.login);
  }

  async #introduce(): Promise<void> {
    const { connection, settings } = this;
    connection.arm('ehlo', settings.timeouts.ehlo);
    const reply = await connection.ask(`EHLO ${this.#heloName}`);
    if (reply.code !== null && reply.code >= 500) {
      // RFC 5321 §3.2: a server that does not know EHLO gets HELO, and offers nothing.
      connection.extensions = NO_EXTENSIONS;
      connection.arm('ehlo', settings.timeouts.ehlo);
      expect2xx('ehlo', await connection.ask(`HELO ${this.#heloName}`));
      return;
    }
    expect2xx('ehlo', reply);
    connection.extensions = readExtensions(reply.raw);
  }

  /** A refusal of STARTTLS leaves the line in the clear and usable; a broken handshake does not. */
  async #startTls(): Promise<void> {
    this.connection.arm('tls', this.settings.timeouts.ehlo);
    const reply = await this.connection.ask('STARTTLS');
    if (reply.code === 421) throw refused('tls', reply);
    if (reply.code === null) throw garbled(reply);
    if (reply.code !== 220) return;
    await this.#secure();
    await this.#introduce();
  }

  async #secure(): Promise<void> {
    const { connection, settings } = this;
    const target = this.#target;
    connection.arm('tls', Math.min(TLS_MS, settings.timeouts.ehlo));
    const secured = await connection.secure().catch((error: unknown) => {
      if (target.proof.kind === 'none' || !(error instanceof SmtpFailure)) throw error;
      throw brokenHandshake(target, error);
    });
    const fault = proofDoubt(target.proof, secured);
    if (fault !== null) throw unproved(target, fault, secured);
  }

  async #logIn(login: { user: string; password: string }): Promise<void> {
    const { connection, settings } = this;
    connection.arm('auth', settings.timeouts.ehlo);
    const reply = await logIn(login, connection.extensions.auth, (line) => connection.ask(line));
    if (reply === null) throw ours('auth', 'the smarthost offers neither AUTH PLAIN nor AUTH LOGIN');
    if (reply.code !== 235) throw refused('auth', reply);
  }
}

function expect2xx(phase: DeliveryPhase, reply: RawReply): void {
  if (reply.code === null || reply.code >= 300) throw refused(phase, reply);
}

function refused(phase: DeliveryPhase, reply: RawReply): SmtpFailure {
  return new SmtpFailure({ phase, reply: toServerReply(reply), answered: true });
}

/** Words that are no reply, where TLS should begin: as broken as a handshake that fails. */
function garbled(reply: RawReply): SmtpFailure {
  return new SmtpFailure({ phase: 'tls', reply: toServerReply(reply) });
}

function ours(phase: DeliveryPhase, text: string): SmtpFailure {
  return new SmtpFailure({ phase, reply: { code: null, enhanced: '4.7.0', text } });
}

function asFailure(error: unknown): SmtpFailure {
  return error instanceof SmtpFailure ? error : ours('connect', String(error));
}

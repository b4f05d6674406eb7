import { Injectable } from '@nestjs/common';
import { newId } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { readMessageHead } from '#libs/mime';
import { Database } from '#libs/persistence';
import type { TokenName } from '../mail-token.js';
import { ReturnPath } from '../return-path.js';

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

  constructor(
    private readonly database: Database,
    private readonly returnPath: ReturnPath,
    config: Config,
  ) {
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  /** Null for every address that takes no mail here. */
  place(address: string): InboundPlace | null {
    const name = this.returnPath.read(address);
    if (name) return { kind: 'return_path', name };
    const [local, domain] = address.toLowerCase().split('@');
    const role = INBOUND_ROLES.find((word) => word === local);
    return role !== undefined && domain === this.serviceDomain ? { kind: 'role', role } : null;
  }

  /** Resolves when what the message says is on disk. */
  async receive({ mailFrom, rcptTo, remoteIp, message }: InboundLetter): Promise<void> {
    const head = readMessageHead(message);
    const fields = 'problem' in head ? [] : head.fields;
    const subject = fields.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? null;
    await this.database.query(
      `INSERT INTO inbound_mails (id, received_at, mail_from, rcpt_to, remote_ip, subject, verdict, size, raw)
       VALUES ($1, now(), $2, $3, $4, $5, 'kept', $6, $7)`,
      [newId('inb'), mailFrom, rcptTo, remoteIp, subject, message.length, message],
    );
  }
}

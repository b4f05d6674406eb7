import { createTransport } from 'nodemailer';
import type { Sender } from './sender.js';

/** A client of the relay over implicit TLS, logged in as the account; `more` changes its options. */
export function relayClient({ ports, from, key }: Pick<Sender, 'ports' | 'from' | 'key'>, more: object = {}) {
  return createTransport({
    host: '127.0.0.1',
    port: ports.smtps,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: from, pass: key },
    ...more,
  });
}

/** One connection for many messages. */
export const ONE_CONNECTION = { pool: true, maxConnections: 1, maxMessages: Infinity } as const;

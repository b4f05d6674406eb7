import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { CheckContext } from '../context.js';

export interface HttpsReply {
  status: number;
  /** The clock of the server, to the second. */
  date: Date | null;
  /** Why the certificate does not prove the name of the server; null: it does. */
  certificateProblem: string | null;
  delayMs: number;
}

/** An MTA-STS policy (RFC 8461) of a large provider, which will not go away. */
export const PROBED_URL = { host: 'mta-sts.gmail.com', path: '/.well-known/mta-sts.txt' } as const;
const TIMEOUT_MS = 5_000;

/** Resolves with a reason when DNS has no address for the server. @throws when the server cannot be reached */
export async function probeHttps({ dns, config, signal }: CheckContext): Promise<HttpsReply | string> {
  const found = await dns.addresses(PROBED_URL.host);
  if (found.kind !== 'found') return found.kind === 'none' ? 'it has no address' : found.reason;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return head({ address: found.values[0], port: config.settings.MTA_STS_PORT, signal: limit });
}

function head({ address, port, signal }: { address: string; port: number; signal: AbortSignal }): Promise<HttpsReply> {
  const { host, path } = PROBED_URL;
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    // A wrong certificate is part of the reply, not a failure.
    const trust = { servername: host, rejectUnauthorized: false };
    const options = { method: 'HEAD', host: address, port, path, headers: { host }, agent: false, signal, ...trust };
    const request = https.request(options, (response) => {
      const { authorized, authorizationError } = response.socket as TLSSocket;
      const date = new Date(response.headers.date ?? '');
      response.resume();
      resolve({
        status: response.statusCode ?? 0,
        date: Number.isNaN(date.getTime()) ? null : date,
        certificateProblem: authorized ? null : String(authorizationError),
        delayMs: Date.now() - startedAt,
      });
    });
    request.on('error', (error) => reject(signal.aborted ? new Error('no answer in time') : error));
    request.end();
  });
}

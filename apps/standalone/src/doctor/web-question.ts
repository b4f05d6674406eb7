import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Patient } from './patient.js';

/** What a web server far away says. */
export interface WebAnswer {
  status: number;
  /** Its clock, to a second. */
  date: Date | null;
  /** Why its certificate does not prove its name; null: it does. */
  doubt: string | null;
  delayMs: number;
}

/** Policies of MTA-STS (RFC 8461) lie at such places, and this one has stood for years. */
export const WELL_KNOWN = { host: 'mta-sts.gmail.com', path: '/.well-known/mta-sts.txt' } as const;
const LIMIT_MS = 5_000;

/** A text says why DNS gives no address. @throws when nobody answers */
export async function askWeb({ dns, config, signal }: Patient): Promise<WebAnswer | string> {
  const found = await dns.addresses(WELL_KNOWN.host);
  if (found.kind !== 'found') return found.kind === 'none' ? 'it has no address' : found.reason;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  return head({ address: found.values[0], port: config.settings.MTA_STS_PORT, signal: limit });
}

function head(place: { address: string; port: number; signal: AbortSignal }): Promise<WebAnswer> {
  const { address, port, signal } = place;
  const { host, path } = WELL_KNOWN;
  const begun = Date.now();
  return new Promise((resolve, reject) => {
    // Whoever is not who he says is a finding, not a failure.
    const trust = { servername: host, rejectUnauthorized: false };
    const options = { method: 'HEAD', host: address, port, path, headers: { host }, agent: false, signal, ...trust };
    const request = https.request(options, (response) => {
      const { authorized, authorizationError } = response.socket as TLSSocket;
      const date = new Date(response.headers.date ?? '');
      response.resume();
      resolve({
        status: response.statusCode ?? 0,
        date: Number.isNaN(date.getTime()) ? null : date,
        doubt: authorized ? null : String(authorizationError),
        delayMs: Date.now() - begun,
      });
    });
    request.on('error', (error) => reject(signal.aborted ? new Error('no answer in time') : error));
    request.end();
  });
}

import type { Config } from '#libs/kernel';
import http from 'node:http';
import https from 'node:https';
import { localHost } from './local-host.js';

/** What a running service says of itself at `/readyz`. */
export type Readiness =
  | { kind: 'ready' }
  /** The failing parts with their reasons, as the service words them. */
  | { kind: 'unready'; body: string }
  | { kind: 'not_running'; reason: string }
  /** Something takes the connection and does not answer. */
  | { kind: 'silent' }
  /** Something else answers there. */
  | { kind: 'stranger'; status: number };

const LIMIT_MS = 5_000;
const LONGEST_BODY = 2_000;

/** Never rejects. */
export async function askReadiness({ settings }: Config, signal: AbortSignal): Promise<Readiness> {
  const { HTTP_HOST, HTTP_PORT, HTTP_TLS_CERT } = settings;
  const place = { host: localHost(HTTP_HOST), port: HTTP_PORT, path: '/readyz' };
  try {
    const { status, body } = await get(place, HTTP_TLS_CERT !== undefined, signal);
    if (status === 200 && body.includes('"ready"')) return { kind: 'ready' };
    if (status === 503) return { kind: 'unready', body };
    return { kind: 'stranger', status };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return { kind: 'silent' };
    return { kind: 'not_running', reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  }
}

function get(
  place: { host: string; port: number; path: string },
  overTls: boolean,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const options = { ...place, signal: limit, agent: false, rejectUnauthorized: false };
    const request = (overTls ? https : http).get(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body = (body + chunk).slice(0, LONGEST_BODY)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

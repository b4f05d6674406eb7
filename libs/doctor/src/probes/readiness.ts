import type { Config } from '#libs/kernel';
import http from 'node:http';
import https from 'node:https';
import { reachableHost } from '../addresses.js';

/** The answer of the service on HTTP_PORT to `/readyz`. */
export type Readiness =
  | { kind: 'ready' }
  /** `body` names the failing parts and their reasons. */
  | { kind: 'not_ready'; body: string }
  | { kind: 'not_running'; reason: string }
  /** The connection was accepted, but no response came. */
  | { kind: 'no_response' }
  /** Another program listens on the port. */
  | { kind: 'other_program'; status: number };

const TIMEOUT_MS = 5_000;
const MAX_BODY_LENGTH = 2_000;

/** Never rejects. */
export async function queryReadiness({ settings }: Config, signal: AbortSignal): Promise<Readiness> {
  const { HTTP_HOST, HTTP_PORT, HTTPS_PORT, HTTP_TLS_CERT } = settings;
  const target = { host: reachableHost(HTTP_HOST), port: HTTP_PORT, path: '/readyz' };
  try {
    const { status, body } = await get(target, HTTP_TLS_CERT !== undefined && HTTPS_PORT === undefined, signal);
    if (status === 200 && body.includes('"ready"')) return { kind: 'ready' };
    if (status === 503) return { kind: 'not_ready', body };
    return { kind: 'other_program', status };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return { kind: 'no_response' };
    return { kind: 'not_running', reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  }
}

function get(
  target: { host: string; port: number; path: string },
  usesTls: boolean,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const options = { ...target, signal: limit, agent: false, rejectUnauthorized: false };
    const request = (usesTls ? https : http).get(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body = (body + chunk).slice(0, MAX_BODY_LENGTH)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

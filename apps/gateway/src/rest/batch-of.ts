import { LIMITS, Refusal } from '#libs/contracts';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from './invalid-fields.js';

const MODES = ['strict', 'permissive'];

/** The elements of a batch, and what becomes of the good ones when others are bad (D-26). @throws Refusal (400). */
export function batchOf(request: FastifyRequest, body: unknown): { bodies: unknown[]; permissive: boolean } {
  const mode = request.headers['x-batch-validation'] ?? 'strict';
  if (typeof mode !== 'string' || !MODES.includes(mode)) {
    const [field, message] = ['x-batch-validation', `must be one of ${MODES.join(', ')}`];
    const detail = { field, code: 'invalid_parameter', message };
    throw new Refusal('invalid_parameter', [detail], `The header ${field} ${message}.`);
  }
  if (!Array.isArray(body) || body.length === 0 || body.length > LIMITS.batchElements)
    throw invalidFields([
      { field: '', code: 'invalid_batch', message: `must be a JSON array of 1 to ${LIMITS.batchElements} e-mails` },
    ]);
  return { bodies: body as unknown[], permissive: mode === 'permissive' };
}

import { LIMITS, orRefusal, Refusal } from '#libs/contracts';
import type { Submission } from '#libs/emails';
import { yielding } from '#libs/kernel';
import type { FastifyRequest } from 'fastify';
import { invalidParameter } from '../validation/invalid-fields.js';

const MODES = ['strict', 'permissive'];

export interface Batch {
  /** Each element of the body: a submission, or the reason why it is none. */
  elements: (Submission | Refusal)[];
  /** Whether the good elements are sent when others are refused. */
  permissive: boolean;
}

/** How to handle invalid elements, as the header of a request says. */
export const batchMode = ({ headers }: FastifyRequest): unknown => headers['x-batch-validation'] ?? 'strict';

/**
 * The elements of a batch, each parsed by `toSubmission`.
 * @throws Refusal when the batch as a whole is invalid
 */
export async function parseBatch(
  mode: unknown,
  body: unknown,
  toSubmission: (element: unknown) => Submission,
): Promise<Batch> {
  if (typeof mode !== 'string' || !MODES.includes(mode))
    throw invalidParameter('x-batch-validation', `must be one of ${MODES.join(', ')}`, 'header');
  if (!Array.isArray(body) || body.length === 0 || body.length > LIMITS.batchElements)
    throw Refusal.ofFields([
      { field: '', code: 'invalid_batch', message: `must be a JSON array of 1 to ${LIMITS.batchElements} emails` },
    ]);
  const elements = await Promise.all(
    await yielding.map(body as unknown[], (element) => orRefusal(() => toSubmission(element))),
  );
  return { elements, permissive: mode === 'permissive' };
}

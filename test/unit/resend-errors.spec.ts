import type { ErrorResponse } from 'resend';
import { describe, expect, it } from 'vitest';
import { REFUSALS, type RefusalCode } from '#libs/contracts';
import { resendAnswer } from '../../apps/gateway/src/resend/resend-errors.js';
import { RESEND_ERRORS } from '../support/resend/resend-error-table.js';

/** Only people in the dashboard receive these. */
const OF_SESSIONS = new Set<RefusalCode>(['not_logged_in', 'request_too_large', 'session_refused']);

/** The names of the Node.js library that occur here; the compiler checks them. */
const NODE_NAMES = [
  'application_error',
  'concurrent_idempotent_requests',
  'invalid_access',
  'invalid_api_key',
  'invalid_attachment',
  'invalid_idempotency_key',
  'invalid_idempotent_request',
  'invalid_parameter',
  'method_not_allowed',
  'missing_api_key',
  'missing_required_field',
  'monthly_quota_exceeded',
  'not_found',
  'rate_limit_exceeded',
  'restricted_api_key',
  'validation_error',
] as const satisfies ErrorResponse['name'][];

const answers = (Object.keys(REFUSALS) as RefusalCode[])
  .filter((code) => !OF_SESSIONS.has(code))
  .map((code) => resendAnswer(code) ?? REFUSALS[code])
  .map(({ status, name }) => `${status} ${name}`);

describe('errors for clients of Resend', () => {
  it('are exactly those of the table in docs/resend.md', () => {
    const documented = RESEND_ERRORS.map(({ status, name }) => `${status} ${name}`);
    expect([...new Set(answers)].sort()).toEqual([...new Set(documented)].sort());
  });

  it('have names of the Node.js library', () => {
    expect([...new Set(RESEND_ERRORS.map(({ name }) => name))].sort()).toEqual(NODE_NAMES);
  });
});

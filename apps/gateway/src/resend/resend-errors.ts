import type { RefusalCode } from '#libs/contracts';

/** Status and `name` of an error, with the word of the native API that belongs to the status. */
interface ErrorAnswer {
  status: number;
  name: string;
  error: string;
}

const answer = (...[status, name, error]: [status: number, name: string, error: string]): ErrorAnswer => ({
  status,
  name,
  error,
});

/**
 * The refusals that clients of Resend receive with another status or name than clients of the native API. Libraries derive
 * their exception classes from both, so they are Resend's. All others have the same in both APIs; the table in
 * `docs/resend.md` lists every one.
 */
const DIFFERENT: Partial<Record<RefusalCode, ErrorAnswer>> = {
  missing_required_field: answer(422, 'missing_required_field', 'unprocessable_entity'),
  invalid_parameter: answer(422, 'invalid_parameter', 'unprocessable_entity'),
  bad_attachment: answer(422, 'invalid_attachment', 'unprocessable_entity'),
  compressed_body: answer(400, 'validation_error', 'bad_request'),
  invalid_api_key: answer(403, 'invalid_api_key', 'forbidden'),
  restricted_api_key: answer(401, 'restricted_api_key', 'unauthorized'),
  conflict: answer(422, 'validation_error', 'unprocessable_entity'),
  sender_domain_not_verified: answer(403, 'validation_error', 'forbidden'),
  internal_server_error: answer(500, 'application_error', 'internal_server_error'),
};

/** Undefined for a refusal that is the same in both APIs. */
export const resendAnswer = (code: RefusalCode): ErrorAnswer | undefined => DIFFERENT[code];

/** True for a routed path of these routes, known or not. */
export const isResendPath = (path: string): boolean => /^\/resend(?=[/?]|$)/.test(path);

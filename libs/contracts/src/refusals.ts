/**
 * One refusal: HTTP status, `error` and `name` of the body, the SMTP reply with its enhanced code (RFC 3463, RFC 5248),
 * and a public sentence. See docs/decisions/014-errors-and-order-of-checks.md.
 */
interface RefusalRow {
  status: number;
  error: string;
  name: string;
  smtp: string;
  message: string;
}

/** The values of one row of the table below. */
type RefusalCells = readonly [status: number, error: string, name: string, smtp: string, message: string];

const row = (...[status, error, name, smtp, message]: RefusalCells): RefusalRow => ({
  status,
  error,
  name,
  smtp,
  message,
});

export const REFUSALS = {
  missing_required_field: row(
    400,
    'bad_request',
    'missing_required_field',
    '550 5.6.0',
    'A required field is missing.',
  ),
  validation_error: row(400, 'bad_request', 'validation_error', '554 5.6.0', 'The request has invalid values.'),
  invalid_parameter: row(400, 'bad_request', 'invalid_parameter', '501 5.5.4', 'A parameter is invalid.'),
  malformed_json: row(400, 'bad_request', 'validation_error', '554 5.6.0', 'The body is not valid JSON.'),
  wrong_content_type: row(
    400,
    'bad_request',
    'validation_error',
    '554 5.6.0',
    'The content type must be application/json.',
  ),
  request_too_large: row(
    413,
    'payload_too_large',
    'validation_error',
    '552 5.3.4',
    'The body of the request is too large.',
  ),
  compressed_body: row(
    415,
    'unsupported_media_type',
    'validation_error',
    '554 5.6.0',
    'Compressed request bodies are not accepted.',
  ),
  invalid_idempotency_key: row(
    400,
    'bad_request',
    'invalid_idempotency_key',
    '554 5.6.0',
    'The idempotency key must have 1 to 256 printable characters.',
  ),
  bad_attachment: row(400, 'bad_request', 'invalid_attachment', '554 5.6.0', 'An attachment is invalid.'),
  missing_api_key: row(
    401,
    'unauthorized',
    'missing_api_key',
    '530 5.7.0',
    'Send the API key in the header "Authorization: Bearer <API_KEY>".',
  ),
  invalid_api_key: row(
    401,
    'unauthorized',
    'invalid_api_key',
    '535 5.7.8',
    'The API key is unknown, revoked, disabled or expired.',
  ),
  not_logged_in: row(401, 'unauthorized', 'invalid_access', '530 5.7.0', 'Log in to the dashboard.'),
  restricted_api_key: row(403, 'forbidden', 'restricted_api_key', '535 5.7.8', 'This API key may not do that.'),
  session_refused: row(403, 'forbidden', 'invalid_access', '535 5.7.8', 'This session may not do that.'),
  account_blocked: row(
    403,
    'forbidden',
    'invalid_access',
    '535 5.7.1',
    'The account is blocked. Contact the operator of this service.',
  ),
  account_overdue: row(403, 'forbidden', 'invalid_access', '535 5.7.1', 'The account has an overdue payment.'),
  sending_paused: row(
    403,
    'forbidden',
    'invalid_access',
    '554 5.7.1',
    'Sending is paused because too many emails of this account bounced or were reported as unwanted.',
  ),
  not_found: row(404, 'not_found', 'not_found', '550 5.1.1', 'There is nothing at this address.'),
  method_not_allowed: row(
    405,
    'method_not_allowed',
    'method_not_allowed',
    '502 5.5.1',
    'This method is not allowed here.',
  ),
  conflict: row(409, 'conflict', 'validation_error', '554 5.5.0', 'The state of the resource does not allow this.'),
  idempotency_mismatch: row(
    409,
    'conflict',
    'invalid_idempotent_request',
    '554 5.6.0',
    'This idempotency key was used with another body.',
  ),
  idempotency_running: row(
    409,
    'conflict',
    'concurrent_idempotent_requests',
    '451 4.3.0',
    'A request with this idempotency key is still running.',
  ),
  sender_domain_not_verified: row(
    422,
    'unprocessable_entity',
    'invalid_from_address',
    '550 5.7.1',
    'The domain of the sender address is not verified for this account.',
  ),
  tracking_domain_not_verified: row(
    422,
    'unprocessable_entity',
    'validation_error',
    '550 5.7.1',
    'Opens and clicks cannot be tracked before the tracking record of the sender domain is verified.',
  ),
  recipient_suppressed: row(
    422,
    'unprocessable_entity',
    'validation_error',
    '550 5.7.1',
    'A recipient is on the suppression list.',
  ),
  message_too_large: row(
    422,
    'unprocessable_entity',
    'validation_error',
    '552 5.3.4',
    'The mail is larger than 10 MB.',
  ),
  attachment_not_allowed: row(
    422,
    'unprocessable_entity',
    'invalid_attachment',
    '554 5.7.1',
    'An attachment is of a type that is not allowed.',
  ),
  batch_rejected: row(
    422,
    'unprocessable_entity',
    'validation_error',
    '554 5.6.0',
    'No email of the batch could be accepted.',
  ),
  rate_limit_exceeded: row(
    429,
    'rate_limit_exceeded',
    'rate_limit_exceeded',
    '451 4.7.0',
    'Too many requests per second.',
  ),
  monthly_quota_exceeded: row(
    429,
    'monthly_quota_exceeded',
    'monthly_quota_exceeded',
    '452 4.5.3',
    'The monthly allowance is used up.',
  ),
  internal_server_error: row(
    500,
    'internal_server_error',
    'internal_server_error',
    '451 4.3.0',
    'Something went wrong on our side.',
  ),
  service_unavailable: row(
    503,
    'service_unavailable',
    'application_error',
    '451 4.3.0',
    'The service cannot store mail right now. Try again.',
  ),
} as const satisfies Record<string, RefusalRow>;

export type RefusalCode = keyof typeof REFUSALS;

/** One problem: its field (`to[3]`, `attachments[0].content`), a code, and a sentence. */
export interface RefusalDetail {
  field: string;
  code: string;
  message: string;
}

/** Thrown by the rules of the libraries. The HTTP filter and the SMTP responder translate it. */
export class Refusal extends Error {
  readonly row: RefusalRow;

  constructor(
    readonly code: RefusalCode,
    readonly details: RefusalDetail[] = [],
    /** Replaces the sentence of the table with a more precise one. */
    sentence?: string,
    /** Seconds, for the header `retry-after`. */
    readonly retryAfter?: number,
  ) {
    super(sentence ?? REFUSALS[code].message);
    this.name = 'Refusal';
    this.row = REFUSALS[code];
  }

  /** The refusal of a request whose fields have these problems. */
  static ofFields(problems: RefusalDetail[]): Refusal {
    return new Refusal(codeOf(problems), problems, sentenceOf(problems));
  }
}

function codeOf(problems: RefusalDetail[]): RefusalCode {
  if (problems.some((problem) => problem.code === 'required')) return 'missing_required_field';
  return problems.every((problem) => problem.code === 'invalid_base64') ? 'bad_attachment' : 'validation_error';
}

/** Of the problems that the sentence of a refusal contains; its details have all. */
const MAX_IN_SENTENCE = 3;

function sentenceOf(problems: RefusalDetail[]): string {
  const named = problems.slice(0, MAX_IN_SENTENCE).map(({ field, message }) => `${field || 'The body'} ${message}`);
  const more = problems.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** The result of `work`, or its refusal as a value. Other errors are thrown. */
export async function orRefusal<T>(work: () => T | Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** One invalid element of a batch; see docs/decisions/016-idempotency-and-batches.md. */
export interface BatchProblem {
  index: number;
  error: string;
  message: string;
  /** The first field concerned; null if the problem is not about a field. */
  field: string | null;
}

/**
 * A batch of which nothing was accepted. Its status is that of the first invalid element, or 422 if all are invalid.
 */
export class BatchRefusal extends Refusal {
  readonly problems: BatchProblem[];

  /** @param elements Results of the elements, in order. Elements that are not a `Refusal` are valid. */
  constructor(elements: readonly unknown[], permissive: boolean) {
    const bad = elements.flatMap((element, index) => (element instanceof Refusal ? [{ index, refusal: element }] : []));
    const [first] = bad;
    super(
      permissive ? 'batch_rejected' : first.refusal.code,
      first.refusal.details.map((detail) => ({
        ...detail,
        field: `[${first.index}]${detail.field === '' ? '' : `.${detail.field}`}`,
      })),
      permissive ? undefined : `Email ${first.index} of the batch: ${first.refusal.message}`,
    );
    this.problems = bad.map(({ index, refusal }) => ({
      index,
      error: refusal.row.error,
      message: refusal.message,
      field: refusal.details[0]?.field ?? null,
    }));
  }
}

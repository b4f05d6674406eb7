import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { LIMITS, orRefusal } from '#libs/contracts';
import { EmailIntake, emailShapes, newSubmission, type AcceptedBatch } from '#libs/emails';
import {
  SendBatchInput,
  SendEmailInput,
  SentBatchType,
  SentEmailType,
  type BatchResultType,
} from '../graphql/emails/email-input.type.js';
import { dtoOf } from '../graphql/dto/input-type.js';
import { BatchBody } from '../http/body/body-limits.js';
import { clientSignal } from '../http/client-signal.js';
import { requestClass } from '../openapi/definition-classes.js';
import { EXAMPLE_SCHEDULE } from '../openapi/properties.js';
import { markReplayed } from '../rest/emails/idempotency.js';
import { batchMode, parseBatch } from '../rest/emails/parse-batch.js';
import { BatchElementRefused, EmailCreated, SendEmailDto } from '../rest/emails/send-email.dto.js';
import { parseBody } from '../rest/validation/body-pipe.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Emails';

/** All fields at once, as a page would make it of the schema, are no valid request. */
const EXAMPLE = {
  from: 'Shop <orders@mail.example.com>',
  to: ['user@example.com'],
  subject: 'Your order',
  html: '<p>Thank you</p>',
  text: 'Thank you',
};

const MESSAGES = {
  message: { summary: 'An email', value: EXAMPLE },
  attachment: {
    summary: 'With an attachment and tags',
    value: {
      ...EXAMPLE,
      attachments: [{ filename: 'invoice.txt', content: 'SW52b2ljZSA0NzExCg==', content_type: 'text/plain' }],
      tags: { order: '4711' },
    },
  },
  scheduled: {
    summary: 'At a time in the next 72 hours',
    value: { ...EXAMPLE, scheduled_at: EXAMPLE_SCHEDULE },
  },
  newsletter: {
    summary: 'With one-click unsubscription, to those who are not suppressed',
    value: {
      ...EXAMPLE,
      to: ['user@example.com', 'ada@example.com'],
      list_unsubscribe: true,
      suppression_policy: 'skip',
    },
  },
};

const send = operation({
  tag,
  rest: 'POST /',
  graphql: {
    field: 'Mutation.sendEmail',
    about: 'Sends an email, at once or at `scheduledAt`. The result is returned after the email has been stored.',
    input: { type: SendEmailInput, about: 'The email' },
    read: (input, { signal }) => ({ email: () => dtoOf(SendEmailInput, input), signal }),
    type: SentEmailType,
  },
  scope: 'emails.send',
  summary: 'Send an email',
  description: 'The response is sent after the email has been stored. It is delivered at once, or at `scheduled_at`.',
  body: SendEmailDto,
  // A repeated request is answered although its body may be refused by now, so the intake is told of the refusal.
  read: ({ body }, reply) => ({ email: () => parseBody(body, SendEmailDto), signal: clientSignal(reply) }),
  examples: MESSAGES,
  response: EmailCreated,
  status: 201,
  errors: [400, 409, 415, 422],
  idempotent: true,
  decorators: [ApiExtraModels(SendEmailDto, requestClass(emailShapes.listUnsubscribe))],
  uses: [EmailIntake],
  run: async ({ caller, email, signal, idempotency }, intake) => {
    const submission = await orRefusal(() => ({ ...newSubmission(email(), caller), idempotency, signal }));
    return intake.accept(submission, idempotency);
  },
  respond: (accepted, reply): EmailCreated => {
    markReplayed(reply, accepted);
    return { id: accepted.id, object: 'email' };
  },
});

const sendBatch = operation({
  tag,
  rest: 'POST /batch',
  graphql: {
    field: 'Mutation.sendBatch',
    about:
      `Sends up to ${LIMITS.batchElements} emails. Strict: nothing is stored if one email is invalid, and ` +
      '`extensions.errors` lists the invalid ones. Permissive: an invalid email has an `error` in its result.',
    input: {
      type: SendBatchInput,
      about: 'The emails',
      parts: ({ emails, validation }: SendBatchInput) => [validation ?? 'strict', ...emails],
    },
    read: ({ emails, validation }: SendBatchInput, { signal }) => ({
      emails: emails as unknown,
      validation: (validation ?? 'strict') as unknown,
      parse: (email: unknown) => dtoOf(SendEmailInput, email as object),
      signal,
    }),
    type: SentBatchType,
    value: ({ elements, replayed }: AcceptedBatch) => ({ results: elements.map(toResult), replayed }),
  },
  scope: 'emails.send',
  summary: 'Send up to 100 emails',
  description:
    'The response has one element per email, in the order of the request. Strict: nothing is stored if one email is ' +
    'invalid, and the error response lists the invalid ones under `errors`. Permissive: an invalid email has an ' +
    'element with `object: "error"`.',
  body: SendEmailDto,
  read: (request, reply) => ({
    emails: request.body,
    validation: batchMode(request),
    parse: (email: unknown) => parseBody(email, SendEmailDto),
    signal: clientSignal(reply),
  }),
  status: 201,
  errors: [400, 409, 415, 422],
  idempotent: true,
  keyScope: 'batch',
  decorators: [
    BatchBody(),
    ApiExtraModels(EmailCreated, BatchElementRefused),
    ApiHeader({
      name: 'x-batch-validation',
      required: false,
      description: '`strict`: one invalid email refuses the batch. `permissive`: the valid emails are sent',
      schema: { type: 'string', enum: ['strict', 'permissive'], default: 'strict' },
    }),
    ApiBody({
      schema: {
        type: 'array',
        items: { $ref: getSchemaPath(SendEmailDto) },
        minItems: 1,
        maxItems: LIMITS.batchElements,
      },
      examples: { messages: { value: [EXAMPLE, { ...EXAMPLE, to: ['ada@example.com'] }] } },
    }),
    ApiResponse({
      status: 201,
      schema: {
        type: 'array',
        items: { oneOf: [{ $ref: getSchemaPath(EmailCreated) }, { $ref: getSchemaPath(BatchElementRefused) }] },
      },
    }),
  ],
  uses: [EmailIntake],
  run: async ({ caller, emails, validation, parse, signal, idempotency }, intake): Promise<AcceptedBatch> => {
    const { elements, permissive } = await parseBatch(validation, emails, (email) => ({
      ...newSubmission(parse(email), caller),
      signal,
    }));
    return intake.acceptBatch(elements, { permissive, idempotency });
  },
  respond: (accepted, reply): (EmailCreated | BatchElementRefused)[] => {
    markReplayed(reply, accepted);
    return accepted.elements.map(toElementResponse);
  },
});

type BatchElement = AcceptedBatch['elements'][number];

function toElementResponse(element: BatchElement, index: number): EmailCreated | BatchElementRefused {
  if ('id' in element) return { id: element.id, object: 'email' };
  const { error, message } = element.refused;
  return { object: 'error', index, error, message };
}

function toResult(element: BatchElement): BatchResultType {
  if ('id' in element) return { id: element.id, error: null };
  const { error, message, field } = element.refused;
  return { id: null, error: { code: error, message, field } };
}

/** Sends emails, one or many at once. */
export const SENDING: OperationGroup = { name: 'Sending', path: 'emails', operations: { send, sendBatch } };

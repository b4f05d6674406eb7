import { LIMITS } from '#libs/contracts';
import { CapturedMessages } from '#libs/emails';
import { normaliseAddress } from '#libs/mime';
import {
  CapturedEmailConnection,
  CapturedEmailFilter,
  DeletedCapturedEmailsType,
} from '../graphql/captured/captured.type.js';
import { ForwardPageArgs } from '../graphql/connection.js';
import { CapturedCleared, CapturedList, CapturedQuery } from '../rest/captured/captured.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Captured mail';
const about =
  'The captured emails of capture mode and of test keys, newest first. Keeps the newest 10,000 of an account, by default for 7 days.';
const MESSAGE = 'message/rfc822';

const list = operation({
  tag,
  rest: 'GET /',
  graphql: {
    field: 'Query.capturedEmails',
    about,
    list: {
      connection: CapturedEmailConnection,
      filter: { type: CapturedEmailFilter, about: 'Only messages that match it' },
      page: ForwardPageArgs,
    },
  },
  scope: 'emails.read',
  summary: 'List captured messages',
  description: about,
  query: CapturedQuery,
  response: CapturedList,
  errors: [400],
  uses: [CapturedMessages],
  run: ({ caller, query: { to, search, email_id: emailId, limit, after } }, captured) =>
    captured.list(caller, {
      to: to === undefined ? undefined : normaliseAddress(to),
      search: search?.trim(),
      emailId,
      limit: Number(limit ?? LIMITS.listDefault),
      after,
    }),
});

const raw = operation({
  tag,
  rest: 'GET /:id/raw',
  // A file.
  graphql: null,
  scope: 'emails.read',
  summary: 'Get a captured message, byte for byte as it would have been sent',
  path: ['id'],
  content: MESSAGE,
  errors: [404],
  uses: [CapturedMessages],
  run: async ({ caller, id }, captured) => {
    const bytes = await captured.raw(caller, id);
    return bytes === null ? null : { bytes, filename: `${id}.eml` };
  },
  respond: ({ bytes, filename }, reply) => {
    void reply.type(MESSAGE).header('content-disposition', `attachment; filename="${filename}"`);
    return bytes;
  },
});

const clear = operation({
  tag,
  rest: 'DELETE /',
  graphql: {
    field: 'Mutation.deleteCapturedEmails',
    about: 'Deletes all captured emails.',
    type: DeletedCapturedEmailsType,
  },
  scope: 'emails.send',
  summary: 'Delete all captured messages',
  description: 'Deletes those that the key can see, permanently.',
  response: CapturedCleared,
  uses: [CapturedMessages],
  run: async ({ caller }, captured) => ({ object: 'captured', deleted: true, count: await captured.clear(caller) }),
});

/** The captured emails of capture mode and of test keys. */
export const CAPTURED: OperationGroup = { name: 'Captured', path: 'captured', operations: { list, raw, clear } };

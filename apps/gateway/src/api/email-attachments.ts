import { EmailAttachments } from '#libs/emails';
import { AttachmentList, LinkedAttachmentDto } from '../rest/emails/email-attachments.dto.js';
import { completeList } from '../rest/list.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Emails';

const list = operation({
  tag,
  rest: 'GET /',
  // `Email.attachments`
  graphql: null,
  scope: 'emails.read',
  summary: 'List the attachments of an email',
  description: 'All attachments, in the order of the email; none after bodies are deleted (30 days by default).',
  path: ['id'],
  response: AttachmentList,
  errors: [404],
  uses: [EmailAttachments],
  run: ({ caller, id }, attachments) => attachments.list(caller, id),
  respond: completeList,
});

const find = operation({
  tag,
  rest: 'GET /:attachmentId',
  graphql: null,
  scope: 'emails.read',
  summary: 'Get an attachment of an email',
  path: ['id', 'attachmentId'],
  response: LinkedAttachmentDto,
  errors: [404],
  uses: [EmailAttachments],
  run: ({ caller, id, attachmentId }, attachments) => attachments.find(caller, { emailId: id, attachmentId }),
});

/** The attachments of an email, which are kept as long as its body. They are downloaded without a key. */
export const EMAIL_ATTACHMENTS: OperationGroup = {
  name: 'EmailAttachments',
  path: 'emails/:id/attachments',
  operations: { list, find },
};

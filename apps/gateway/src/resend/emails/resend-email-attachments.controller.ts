import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { toPage, type Page, type PageRequest } from '#libs/contracts';
import { EmailAttachments } from '#libs/emails';
import { Caller } from '../../http/caller.js';
import type { LinkedAttachmentDto } from '../../rest/emails/email-attachments.dto.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { PageQuery } from '../../rest/list.dto.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { ResendIdPipe, toResendId } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';

type ResendAttachment = Omit<LinkedAttachmentDto, 'object' | 'content_id'> & { content_id?: string };

const EMAIL_ID = new ResendIdPipe('em');
const ID = new ResendIdPipe('att');

@Controller(`${RESEND}/emails/:emailId/attachments`)
export class ResendEmailAttachmentsController {
  constructor(private readonly attachments: EmailAttachments) {}

  @Get()
  @ResendRoute('emails.read')
  async list(
    @Caller() caller: Principal,
    @Param('emailId', EMAIL_ID) emailId: string,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<ResendList<ResendAttachment>> {
    const request = resendPageRequest(query, 'att');
    const files = orNotFound(await this.attachments.list(caller, emailId));
    return toResendList(pageOf(files, request), toResendAttachment);
  }

  @Get(':id')
  @ResendRoute('emails.read')
  async find(
    @Caller() caller: Principal,
    @Param('emailId', EMAIL_ID) emailId: string,
    @Param('id', ID) attachmentId: string,
  ): Promise<ResendAttachment & { object: 'attachment' }> {
    const file = orNotFound(await this.attachments.find(caller, { emailId, attachmentId }));
    return { object: 'attachment', ...toResendAttachment(file) };
  }
}

function toResendAttachment(file: LinkedAttachmentDto): ResendAttachment {
  return {
    id: toResendId(file.id),
    filename: file.filename,
    size: file.size,
    content_type: file.content_type,
    content_disposition: file.content_disposition,
    ...(file.content_id === null ? {} : { content_id: file.content_id }),
    download_url: file.download_url,
    expires_at: file.expires_at,
  };
}

/** Pages through the attachments in the order of the email, because their ids have no order. */
function pageOf(files: LinkedAttachmentDto[], request: PageRequest): Page<LinkedAttachmentDto> {
  const { limit, after, before } = request;
  const at = files.findIndex(({ id }) => id === (after ?? before));
  const rest = after === undefined ? files.slice(0, at).reverse() : files.slice(at + 1);
  const rows = (after ?? before) === undefined ? files : at < 0 ? [] : rest;
  return toPage(request, rows.slice(0, limit + 1), { id: ({ id }) => id, present: (file) => file });
}

import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailAttachments } from '#libs/emails';
import type { FastifyReply } from 'fastify';
import { Caller } from '../http/caller.js';
import { Public, RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { attachmentDisposition } from './attachment-disposition.js';
import { AttachmentList, DownloadQuery, LinkedAttachmentDto } from './email-attachments.dto.js';
import { found } from './found.js';
import { QueryPipe } from './query-pipe.js';

const TAG = 'Emails';
const BINARY = 'application/octet-stream';

/** The files of a mail, as long as its body is kept. */
@Controller('emails/:id/attachments')
export class EmailAttachmentsController {
  constructor(private readonly attachments: EmailAttachments) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List the attachments of an e-mail',
    description: 'All of them, in the order of the e-mail; none once its body is no longer kept, after 30 days.',
    answer: AttachmentList,
    refuses: [404],
  })
  async list(@Caller() caller: Principal, @Param('id') id: string): Promise<AttachmentList> {
    const data = found(await this.attachments.list(caller.accountId, id));
    return { object: 'list', has_more: false, data, next_cursor: null };
  }

  @Get(':attachmentId')
  @RequiresScope('emails.read')
  @Operation({ tag: TAG, summary: 'Get an attachment of an e-mail', answer: LinkedAttachmentDto, refuses: [404] })
  async find(
    @Caller() caller: Principal,
    @Param('id') emailId: string,
    @Param('attachmentId') attachmentId: string,
  ): Promise<LinkedAttachmentDto> {
    return found(await this.attachments.find(caller.accountId, { emailId, attachmentId }));
  }

  /** Files come from outside: never shown by a browser under our name, whatever they say they are. */
  @Get(':attachmentId/download')
  @Public()
  @Operation({
    tag: TAG,
    summary: 'Download an attachment by its link',
    description: 'The address comes from `download_url` and is good for an hour; no API key is needed.',
    content: BINARY,
    refuses: [404],
  })
  async download(
    @Param('id') emailId: string,
    @Param('attachmentId') attachmentId: string,
    @Query(QueryPipe) { token }: DownloadQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = found(await this.attachments.download(String(token), { emailId, attachmentId }));
    await reply.type(BINARY).header('content-disposition', attachmentDisposition(file.filename)).send(file.content);
  }
}

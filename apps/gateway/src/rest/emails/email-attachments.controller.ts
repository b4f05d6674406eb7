import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailAttachments } from '#libs/emails';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../http/caller.js';
import { Public, RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { AttachmentList, DownloadQuery, LinkedAttachmentDto } from './email-attachments.dto.js';
import { orNotFound } from '../or-not-found.js';
import { QueryPipe } from '../validation/query-pipe.js';

const TAG = 'Emails';
const BINARY = 'application/octet-stream';

/** The attachments of an e-mail. They are kept as long as its body. */
@Controller('emails/:id/attachments')
export class EmailAttachmentsController {
  constructor(private readonly attachments: EmailAttachments) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List the attachments of an e-mail',
    description: 'All attachments, in the order of the e-mail; none after bodies are deleted (30 days by default).',
    response: AttachmentList,
    errors: [404],
  })
  async list(@Caller() caller: Principal, @Param('id') id: string): Promise<AttachmentList> {
    const data = orNotFound(await this.attachments.list(caller, id));
    return { object: 'list', has_more: false, data, next_cursor: null };
  }

  @Get(':attachmentId')
  @RequiresScope('emails.read')
  @Operation({ tag: TAG, summary: 'Get an attachment of an e-mail', response: LinkedAttachmentDto, errors: [404] })
  async find(
    @Caller() caller: Principal,
    @Param('id') emailId: string,
    @Param('attachmentId') attachmentId: string,
  ): Promise<LinkedAttachmentDto> {
    return orNotFound(await this.attachments.find(caller, { emailId, attachmentId }));
  }

  /** Attachments are untrusted, so a browser must save the file instead of showing it under our origin. */
  @Get(':attachmentId/download')
  @Public()
  @Operation({
    tag: TAG,
    summary: 'Download an attachment',
    description: 'Use the URL in `download_url`, which is valid for one hour. No API key is needed.',
    content: BINARY,
    errors: [400, 404],
  })
  async download(
    @Param('id') emailId: string,
    @Param('attachmentId') attachmentId: string,
    @Query(QueryPipe) { token }: DownloadQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = orNotFound(await this.attachments.download(String(token), { emailId, attachmentId }));
    await reply.type(BINARY).header('content-disposition', attachmentDisposition(file.filename)).send(file.content);
  }
}

/**
 * The header that makes a browser save a file under its name (RFC 6266 section 4.1): an ASCII name for old clients, and
 * the complete name in UTF-8.
 */
export function attachmentDisposition(filename: string): string {
  const name = filename.replace(/[\p{Cc}\p{Cs}/\\]/gu, '_') || 'attachment';
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

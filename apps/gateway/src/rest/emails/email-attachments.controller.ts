import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { EmailAttachments } from '#libs/emails';
import type { FastifyReply } from 'fastify';
import { Public } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { DownloadQuery } from './email-attachments.dto.js';
import { orNotFound } from '../or-not-found.js';
import { QueryPipe } from '../validation/query-pipe.js';

const BINARY = 'application/octet-stream';

/** Downloads by a link, without a key; the other operations are in `api/email-attachments.ts`. */
@Controller('emails/:id/attachments')
export class EmailAttachmentsController {
  constructor(private readonly attachments: EmailAttachments) {}

  /** Attachments are untrusted, so a browser must save the file instead of showing it under our origin. */
  @Get(':attachmentId/download')
  @Public()
  @Operation({
    tag: 'Emails',
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

import { ApiProperty } from '@nestjs/swagger';
import { emailShapes } from '#libs/emails';
import { Allow } from 'class-validator';
import { responseClass } from '../../openapi/definition-classes.js';
import { listOf } from '../list.dto.js';

export class LinkedAttachmentDto extends responseClass(emailShapes.linkedAttachment) {}

export class AttachmentList extends listOf(LinkedAttachmentDto, 'att') {}

export class DownloadQuery {
  /** Not validated here: every bad token is answered 404. */
  @Allow()
  @ApiProperty({
    required: false,
    type: String,
    description: 'The token from `download_url`; without a valid one the response is 404',
  })
  token?: unknown;
}

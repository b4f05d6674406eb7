import { ApiProperty } from '@nestjs/swagger';
import type { LinkedAttachmentView } from '#libs/emails';
import { Allow } from 'class-validator';
import { KindProperty, TimeProperty } from '../../openapi/properties.js';
import { listOf } from '../list.dto.js';
import { StoredAttachmentDto } from './emails.dto.js';

export class LinkedAttachmentDto extends StoredAttachmentDto implements LinkedAttachmentView {
  @KindProperty('attachment')
  object: 'attachment';

  @ApiProperty({
    format: 'uri',
    description: 'A link that works for one hour, without an API key',
    example:
      'https://api.example.com/emails/em_01978c0e5f7b7c3a9d21f0b64c1e88aa/attachments/att_6f1ed002ab5595859014ebf0951522d9/download?token=…',
  })
  download_url: string;

  @TimeProperty('When `download_url` expires')
  expires_at: string;
}

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

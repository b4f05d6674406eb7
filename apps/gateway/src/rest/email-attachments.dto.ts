import { ApiProperty } from '@nestjs/swagger';
import type { LinkedAttachmentView } from '#libs/emails';
import { ByRule } from './by-rule.js';
import { StoredAttachmentDto } from './emails.dto.js';
import { listOf } from './list.dto.js';

export class LinkedAttachmentDto extends StoredAttachmentDto implements LinkedAttachmentView {
  @ApiProperty({ enum: ['attachment'] })
  object: 'attachment';

  @ApiProperty({
    format: 'uri',
    description: 'Opens without an API key, for an hour',
    example:
      'https://api.example.com/emails/em_01978c0e5f7b7c3a9d21f0b64c1e88aa/attachments/att_6f1ed002ab5595859014ebf0951522d9/download?token=…',
  })
  download_url: string;

  @ApiProperty({ format: 'date-time', description: 'When `download_url` ends' })
  expires_at: string;
}

export class AttachmentList extends listOf(LinkedAttachmentDto) {}

export class DownloadQuery {
  // Whatever is wrong with a token, the answer is 404.
  @ByRule(() => [], {
    doc: { type: String, description: 'From `download_url`; without a valid one the answer is 404' },
  })
  token?: unknown;
}

import { ApiProperty } from '@nestjs/swagger';
import type { RefusalDetail } from '#libs/contracts';
import type { ErrorBody } from '../http/error-body.js';

export class ErrorDetailDto implements RefusalDetail {
  @ApiProperty({
    description: 'Path of the field or name of the parameter; empty for the body itself',
    example: 'to[3]',
  })
  field: string;

  @ApiProperty({ description: 'A word for programs', example: 'invalid_address' })
  code: string;

  @ApiProperty({ description: 'A sentence for people, to be read after the field', example: 'must have an @' })
  message: string;
}

/** The one shape of every error (D-4, D-12, D-54). */
export class ErrorDto implements ErrorBody {
  @ApiProperty({ description: 'The HTTP status again', example: 422 })
  statusCode: number;

  @ApiProperty({ description: 'The reason, in words that existing clients know', example: 'validation_error' })
  name: string;

  @ApiProperty({ description: 'The kind of error, one per status', example: 'unprocessable_entity' })
  error: string;

  @ApiProperty({ description: 'A sentence for people', example: 'A recipient is on the suppression list.' })
  message: string;

  @ApiProperty({ description: 'Every problem of the first failing step', type: [ErrorDetailDto] })
  details: ErrorDetailDto[];

  @ApiProperty({
    description: 'The same as the header `x-request-id`',
    example: 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d',
  })
  request_id: string;
}

import { ApiProperty } from '@nestjs/swagger';
import type { RefusalDetail } from '#libs/contracts';
import type { ErrorBody } from '../http/error-body.js';

export class ErrorDetailDto implements RefusalDetail {
  @ApiProperty({
    description: 'Path of the field or name of the parameter; empty for the body itself',
    example: 'to[3]',
  })
  field: string;

  @ApiProperty({ description: 'A machine-readable code', example: 'invalid_address' })
  code: string;

  @ApiProperty({
    description: 'A human-readable message that follows the name of the field',
    example: 'must have an @',
  })
  message: string;
}

/** The body of every error response. */
export class ErrorDto implements ErrorBody {
  @ApiProperty({ description: 'The HTTP status', example: 422 })
  statusCode: number;

  @ApiProperty({ description: 'The reason of the error, stable for programs', example: 'validation_error' })
  name: string;

  @ApiProperty({ description: 'The kind of error, one per status', example: 'unprocessable_entity' })
  error: string;

  @ApiProperty({ description: 'A human-readable message', example: 'A recipient is on the suppression list.' })
  message: string;

  @ApiProperty({ description: 'All problems of the first failed check', type: [ErrorDetailDto] })
  details: ErrorDetailDto[];

  @ApiProperty({
    description: 'The same as the header `x-request-id`',
    example: 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d',
  })
  request_id: string;
}

import { ApiProperty } from '@nestjs/swagger';

export class Alive {
  @ApiProperty({ enum: ['ok'], description: 'The process answers', example: 'ok' })
  status: 'ok';
}

export class Ready {
  @ApiProperty({ enum: ['ready'], description: 'Everything that the process needs is there', example: 'ready' })
  status: 'ready';
}

export class NotReady {
  @ApiProperty({ enum: ['unavailable'], description: 'Something that the process needs is missing' })
  status: 'unavailable';

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'What is missing, and why',
    example: { database: 'connection refused' },
  })
  failing: Record<string, string>;
}

import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { LIMITS } from '#libs/contracts';
import {
  suppressionAddressesRule,
  suppressionDomainRule,
  suppressionEntriesRule,
  suppressionForceRule,
  suppressionIdsRule,
} from '#libs/suppressions';
import { ByRule } from './by-rule.js';
import {
  SUPPRESSED_ADDRESS,
  SuppressDto,
  SUPPRESSION_ID,
  SuppressionDeletedDto,
  SuppressionDto,
} from './suppressions.dto.js';

const BULK = { isArray: true, minItems: 1, maxItems: LIMITS.bulkEntries } as const;

/** Body of `POST /suppressions/batch/add`: one of the two. */
export class SuppressAllDto {
  @ByRule(suppressionAddressesRule, {
    requiredUnless: 'entries',
    doc: {
      ...BULK,
      type: String,
      description: `1 to ${LIMITS.bulkEntries} addresses. Required, unless \`entries\` is given`,
      example: [SUPPRESSED_ADDRESS],
    },
  })
  emails?: string[];

  @ByRule(suppressionEntriesRule, {
    doc: {
      ...BULK,
      type: SuppressDto,
      description: `Instead of \`emails\`: 1 to ${LIMITS.bulkEntries} entries as for \`POST /suppressions\``,
    },
  })
  entries?: SuppressDto[];
}

export class StoredSuppressionDto extends SuppressionDto {
  @ApiProperty({ description: 'False: the entry was there already, and stays as it is' })
  created: boolean;
}

export class SuppressedAllDto {
  @ApiProperty({ type: [StoredSuppressionDto], description: 'One entry for each that was given, in the same order' })
  data: StoredSuppressionDto[];
}

/** Body of `POST /suppressions/batch/remove`: one of the two. */
export class ReleaseAllDto {
  @ByRule(suppressionAddressesRule, {
    requiredUnless: 'ids',
    doc: {
      ...BULK,
      type: String,
      description: `1 to ${LIMITS.bulkEntries} addresses. Required, unless \`ids\` is given`,
      example: [SUPPRESSED_ADDRESS],
    },
  })
  emails?: string[];

  @ByRule(suppressionIdsRule, {
    doc: {
      ...BULK,
      type: String,
      description: `Instead of \`emails\`: 1 to ${LIMITS.bulkEntries} ids of entries`,
      example: [SUPPRESSION_ID],
    },
  })
  ids?: string[];

  @ByRule(suppressionDomainRule, {
    doc: {
      type: String,
      nullable: true,
      description: 'The `emails` are meant on the list of this sending domain; null: on that of the whole account',
      example: null,
    },
  })
  domain_id?: string | null;

  @ByRule(suppressionForceRule, {
    doc: { type: Boolean, default: false, description: 'Whether complaints are taken away too' },
  })
  force?: boolean;
}

/** One of a bulk that could not be done; the others are. */
export class SuppressionKeptDto {
  @ApiProperty({ enum: ['error'] })
  object: 'error';

  @ApiProperty({ type: 'integer', description: 'Its place in the request, from 0', example: 3 })
  index: number;

  @ApiProperty({ enum: ['not_found', 'conflict'], description: 'As in the answer to a single removal' })
  error: string;

  @ApiProperty({ description: 'A sentence for people', example: 'There is no such entry.' })
  message: string;
}

@ApiExtraModels(SuppressionDeletedDto, SuppressionKeptDto)
export class ReleasedAllDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(SuppressionDeletedDto) }, { $ref: getSchemaPath(SuppressionKeptDto) }] },
    description: 'What became of each that was given, in the same order',
  })
  data: (SuppressionDeletedDto | SuppressionKeptDto)[];
}

export class SuppressionImportDto {
  @ApiProperty({ enum: ['suppression_import'] })
  object: 'suppression_import';

  @ApiProperty({ type: 'integer', description: 'Entries in the file', example: 1200 })
  total: number;

  @ApiProperty({ type: 'integer', description: 'Entries that are new', example: 1150 })
  created: number;

  @ApiProperty({
    type: 'integer',
    description: 'Entries that were on the list already, or stand in the file more than once',
    example: 50,
  })
  existing: number;
}

import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { LIMITS } from '#libs/contracts';
import { bulkSuppressions, suppressionShapes } from '#libs/suppressions';
import {
  ADDRESS_FORMAT,
  EnumProperty,
  exampleId,
  FlagProperty,
  idPattern,
  IntegerProperty,
  KindProperty,
  TextProperty,
} from '../../openapi/properties.js';
import { noneOf, Refuses, together } from '../../openapi/refused-combinations.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { SUPPRESSED_ADDRESS, SuppressDto, SuppressionDeletedDto, SuppressionDto } from './suppressions.dto.js';

const BULK = { isArray: true, minItems: 1, maxItems: LIMITS.bulkEntries } as const;
const addresses = (alternative: string) =>
  ({
    type: 'array',
    items: { type: 'string', format: ADDRESS_FORMAT },
    minItems: 1,
    maxItems: LIMITS.bulkEntries,
    description: `1 to ${LIMITS.bulkEntries} addresses. Required unless \`${alternative}\` is given`,
    example: [SUPPRESSED_ADDRESS],
  }) satisfies ApiPropertyOptions;

/** Body of `POST /suppressions/batch/add`: one of the two fields. */
@Refuses(together('emails', 'entries'), noneOf('emails', 'entries'))
export class SuppressAllDto {
  @FieldRule(bulkSuppressions.addresses, { ...addresses('entries'), requiredUnless: 'entries' })
  emails?: string[];

  @FieldRule(bulkSuppressions.entries, {
    ...BULK,
    type: SuppressDto,
    description: `Instead of \`emails\`: 1 to ${LIMITS.bulkEntries} entries as for \`POST /suppressions\``,
  })
  entries?: SuppressDto[];
}

export class StoredSuppressionDto extends SuppressionDto {
  @FlagProperty('True for a new or replaced entry; false if an entry that lasts at least as long existed')
  created: boolean;
}

export class SuppressedAllDto {
  @ApiProperty({ type: [StoredSuppressionDto], description: 'One entry per given address, in the same order' })
  data: StoredSuppressionDto[];
}

/** Body of `POST /suppressions/batch/remove`: either `emails` or `ids`. */
@Refuses(together('emails', 'ids'), noneOf('emails', 'ids'))
export class ReleaseAllDto {
  @FieldRule(bulkSuppressions.addresses, { ...addresses('ids'), requiredUnless: 'ids' })
  emails?: string[];

  @FieldRule(bulkSuppressions.ids, {
    ...BULK,
    type: String,
    description: `Instead of \`emails\`: 1 to ${LIMITS.bulkEntries} ids of entries`,
    example: [exampleId('sup')],
  })
  ids?: string[];

  @FieldRule(suppressionShapes.suppression.ruleOf('domain_id'), {
    type: String,
    pattern: idPattern('dom'),
    nullable: true,
    description: 'Removes `emails` from the list of this sending domain; null: from that of the whole account',
    example: null,
  })
  domain_id?: string | null;

  @FieldRule(bulkSuppressions.force, {
    type: Boolean,
    default: false,
    description: 'Whether to remove complaints as well',
  })
  force?: boolean;
}

/** An element of a bulk removal that was not removed. The other elements are. */
export class SuppressionKeptDto {
  @KindProperty('error')
  object: 'error';

  @IntegerProperty('Its position in the request, from 0', 3)
  index: number;

  @EnumProperty(['not_found', 'conflict'], 'The same as in the response to a single removal')
  error: string;

  @TextProperty('A human-readable sentence', 'There is no such entry.')
  message: string;
}

@ApiExtraModels(SuppressionDeletedDto, SuppressionKeptDto)
export class ReleasedAllDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(SuppressionDeletedDto) }, { $ref: getSchemaPath(SuppressionKeptDto) }] },
    description: 'The result for each given address or id, in the same order',
  })
  data: (SuppressionDeletedDto | SuppressionKeptDto)[];
}

/** A problem of a line that was not imported. */
export class RefusedLineDto {
  @IntegerProperty('The line of the file, from 1', 17)
  line: number;

  @TextProperty('The column', 'email')
  field: string;

  @TextProperty('What is wrong, for programs', 'invalid_address')
  code: string;

  @TextProperty('What is wrong, as the end of a sentence', 'must be an address such as user@example.com')
  message: string;
}

export class SuppressionImportDto {
  @KindProperty('suppression_import')
  object: 'suppression_import';

  @IntegerProperty('Number of lines in the file', 1200)
  total: number;

  @IntegerProperty('Number of new entries', 1150)
  created: number;

  @IntegerProperty('Number of entries that already existed or occur more than once in the file', 48)
  existing: number;

  @IntegerProperty('Number of lines that were not imported; absent if there are none', 2, { required: false })
  refused?: number;

  @ApiProperty({
    type: [RefusedLineDto],
    required: false,
    description: 'The problems of these lines, at most 1,000; absent if there are none',
  })
  errors?: RefusedLineDto[];
}

import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { LIMITS } from '#libs/contracts';
import { suppressionShapes } from '#libs/suppressions';
import { responseClass } from '../../openapi/definition-classes.js';
import {
  ReleaseAllDto,
  SuppressAllDto,
  type ReleasedAllDto,
  type SuppressedAllDto,
} from '../../rest/suppressions/suppressions-bulk.dto.js';
import { SuppressDto, SuppressionDto, SuppressionsQuery } from '../../rest/suppressions/suppressions.dto.js';
import { connectionType } from '../connection.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

objectType(suppressionShapes.suppressionEvidence.name, responseClass(suppressionShapes.suppressionEvidence), {
  description: suppressionShapes.suppressionEvidence.about,
});
const SuppressionType = objectType(suppressionShapes.suppression.name, SuppressionDto, {
  description: suppressionShapes.suppression.about,
});
export const SuppressionConnection = connectionType<SuppressionDto>('Suppression', SuppressionType);

export const SuppressionFilter = inputType('SuppressionFilter', SuppressionsQuery, {
  description: 'Selects suppressions. An entry must match all given fields.',
  omit: ['limit', 'after', 'before'],
});

@ObjectType('AddedSuppression', { description: 'The entry of an address that was to be suppressed.' })
export class AddedSuppressionType {
  @Field(() => SuppressionType, { description: 'The entry' })
  suppression: SuppressionDto;

  @Field(() => Boolean, {
    description: 'True for a new or replaced entry; false if an entry that lasts at least as long existed',
  })
  created: boolean;
}

export const toAdded = ({ data }: SuppressedAllDto): AddedSuppressionType[] =>
  data.map(({ created, ...entry }) => ({ suppression: entry, created }));

inputType('SuppressionInput', SuppressDto, { description: 'An address to suppress.' });
export const AddSuppressionsInput = inputType('AddSuppressionsInput', SuppressAllDto, {
  description: 'Addresses to suppress: either `emails` or `entries`.',
  fields: {
    emails: { description: `1 to ${LIMITS.bulkEntries} addresses. Required unless \`entries\` is given` },
    entries: { description: `Instead of \`emails\`: 1 to ${LIMITS.bulkEntries} entries with their options` },
  },
});
export const RemoveSuppressionsInput = inputType('RemoveSuppressionsInput', ReleaseAllDto, {
  description: 'Addresses to remove from the suppression list: either `emails` or `ids`.',
});

@ObjectType('SuppressionError', { description: 'Why an entry was not removed.' })
export class SuppressionErrorType {
  @Field(() => String, { description: 'The code of the refusal, such as `conflict` for a complaint without `force`' })
  code: string;

  @Field(() => String, { description: 'A human-readable sentence' })
  message: string;
}

@ObjectType('RemovedSuppression', { description: 'The result for one address that was to be removed.' })
export class RemovedSuppressionType {
  @Field(() => Int, { description: 'The position in the request, from 0' })
  index: number;

  @Field(() => ID, { nullable: true, description: 'The id of the removed entry; null if nothing was removed' })
  id: string | null;

  @Field(() => String, { nullable: true, description: 'The address that is no longer suppressed' })
  email: string | null;

  @Field(() => SuppressionErrorType, { nullable: true, description: 'Null if the entry was removed' })
  error: SuppressionErrorType | null;
}

export const toRemoved = ({ data }: ReleasedAllDto): RemovedSuppressionType[] =>
  data.map((result, index) =>
    result.object === 'error'
      ? { index, id: null, email: null, error: { code: result.error, message: result.message } }
      : { index, id: result.id, email: result.email, error: null },
  );

import { accountShapes } from '#libs/accounts';
import { UsageDto } from '../../rest/usage/usage.dto.js';
import { objectType } from '../dto/object-type.js';
import { Long } from '../scalars.js';

export const UsageType = objectType(accountShapes.usage.name, UsageDto, {
  description: accountShapes.usage.about,
  fields: { limit: { type: Long }, used: { type: Long }, remaining: { type: Long } },
});

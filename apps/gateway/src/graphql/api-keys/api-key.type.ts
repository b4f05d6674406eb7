import { accountShapes } from '#libs/accounts';
import { ApiKeyDto, ChangeApiKeyDto, CreateApiKeyDto, CreatedApiKeyDto } from '../../rest/api-keys/api-keys.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

export const ApiKeyType = objectType(accountShapes.apiKey.name, ApiKeyDto, { description: accountShapes.apiKey.about });
objectType('CreatedApiKey', CreatedApiKeyDto, {
  description: 'A new API key with its token.',
});
export const CreateApiKeyInput = inputType('CreateApiKeyInput', CreateApiKeyDto, {
  description: 'An API key to create.',
});
export const UpdateApiKeyInput = inputType('UpdateApiKeyInput', ChangeApiKeyDto, {
  description: 'Changes of an API key. Absent fields are not changed.',
});

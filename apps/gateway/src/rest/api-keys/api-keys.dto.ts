import { type ApiKeyChange, type ApiKeyOptions, accountShapes } from '#libs/accounts';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';
import { DeletedProperty, IdProperty, KindProperty, TextProperty } from '../../openapi/properties.js';
import { Refuses, togetherUnlessNull } from '../../openapi/refused-combinations.js';
import { listOf, pageQueryOf } from '../list.dto.js';

/** Body of `POST /api-keys`. */
@Refuses(togetherUnlessNull('permission', 'scopes'))
export class CreateApiKeyDto extends bodyClass<ApiKeyOptions>(accountShapes.apiKey, 'create') {}

/** Body of `PATCH /api-keys/:id`. Absent fields are not changed. */
@Refuses(togetherUnlessNull('permission', 'scopes'))
export class ChangeApiKeyDto extends bodyClass<ApiKeyChange>(accountShapes.apiKey, 'update') {}

export class ApiKeyDto extends responseClass(accountShapes.apiKey) {}

export class CreatedApiKeyDto extends ApiKeyDto {
  @TextProperty('The key itself. It is returned only once', 'pl_live_4fGh0sT2kLmN8pQrStUvWxYz01234567aBcDeF')
  token: string;
}

export class ApiKeyQuery extends pageQueryOf('key') {}
export class ApiKeyList extends listOf(ApiKeyDto, 'key') {}

export class ApiKeyDeletedDto {
  @KindProperty('api_key')
  object: 'api_key';

  @IdProperty('key')
  id: string;

  @DeletedProperty()
  deleted: true;
}

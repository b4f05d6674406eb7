import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { ApiKeysController } from '../../rest/api-keys/api-keys.controller.js';
import type {
  ApiKeyDto,
  ChangeApiKeyDto,
  CreateApiKeyDto,
  CreatedApiKeyDto,
} from '../../rest/api-keys/api-keys.dto.js';
import { DeletedType } from '../deleted.type.js';
import { dtoOf } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import { orNull } from '../or-null.js';
import { ApiKeyType, CreateApiKeyInput, CreatedApiKeyType, UpdateApiKeyInput } from './api-key.type.js';

const ID_OF_KEY = { type: () => ID, description: 'The id of the API key' };
const MAX_PAGES = 10;
const NO_ESCALATION = 'A key cannot grant rights that it does not have itself.';

/** API keys of the account. */
@Resolver(() => ApiKeyType)
export class ApiKeysResolver {
  constructor(private readonly rest: ApiKeysController) {}

  @Query(() => [ApiKeyType], {
    description: `The API keys of the account, newest first, without deleted keys; at most ${MAX_PAGES * LIMITS.listMaximum}.`,
  })
  async apiKeys(@CallerOf(ApiKeysController, 'list') caller: Principal): Promise<ApiKeyDto[]> {
    const keys: ApiKeyDto[] = [];
    let after: string | null = null;
    for (let i = 0; i < MAX_PAGES; i++) {
      const page = await this.rest.list(caller, { limit: String(LIMITS.listMaximum), ...(after && { after }) });
      keys.push(...page.data);
      if ((after = page.next_cursor) === null) break;
    }
    return keys;
  }

  @Query(() => ApiKeyType, { nullable: true, description: 'One API key. Null if the account has no such key.' })
  apiKey(
    @CallerOf(ApiKeysController, 'find') caller: Principal,
    @Args('id', ID_OF_KEY) id: string,
  ): Promise<ApiKeyDto | null> {
    return orNull(this.rest.find(caller, id));
  }

  @Mutation(() => CreatedApiKeyType, {
    description: `Creates an API key. Its token is returned only once. ${NO_ESCALATION}`,
  })
  createApiKey(
    @CallerOf(ApiKeysController, 'create') caller: Principal,
    @Args('input', { type: () => CreateApiKeyInput, description: 'The key' }) input: CreateApiKeyDto,
  ): Promise<CreatedApiKeyDto> {
    return this.rest.create(caller, dtoOf(CreateApiKeyInput, input));
  }

  @Mutation(() => ApiKeyType, {
    description: `Changes an API key. Takes effect within one second, also for open connections. ${NO_ESCALATION}`,
  })
  updateApiKey(
    @CallerOf(ApiKeysController, 'change') caller: Principal,
    @Args('id', ID_OF_KEY) id: string,
    @Args('input', { type: () => UpdateApiKeyInput, description: 'The changes' }) input: ChangeApiKeyDto,
  ): Promise<ApiKeyDto> {
    return this.rest.change(caller, id, dtoOf(UpdateApiKeyInput, input));
  }

  @Mutation(() => DeletedType, {
    description:
      'Deletes an API key permanently, within one second also for open connections. Every key may delete itself, whatever ' +
      'its scopes.',
  })
  deleteApiKey(
    @CallerOf(ApiKeysController, 'remove') caller: Principal,
    @Args('id', ID_OF_KEY) id: string,
  ): Promise<DeletedType> {
    return this.rest.remove(caller, id);
  }
}

import { Query, Resolver } from '@nestjs/graphql';
import { ApiKeys, type ApiKeyView, type Principal } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { ApiKeysController } from '../../api/generated.js';
import { CallerOf } from '../graphql-caller.js';
import { ApiKeyType } from './api-key.type.js';

const MAX_PAGES = 10;

/** API keys of the account. */
@Resolver(() => ApiKeyType)
export class ApiKeysResolver {
  constructor(private readonly keys: ApiKeys) {}

  @Query(() => [ApiKeyType], {
    description: `The API keys of the account, newest first, without deleted keys; at most ${MAX_PAGES * LIMITS.listMaximum}.`,
  })
  async apiKeys(@CallerOf(ApiKeysController, 'list') { accountId }: Principal): Promise<ApiKeyView[]> {
    const keys: ApiKeyView[] = [];
    let after: string | null = null;
    for (let i = 0; i < MAX_PAGES; i++) {
      const page = await this.keys.list(accountId, { limit: LIMITS.listMaximum, ...(after && { after }) });
      keys.push(...page.data);
      if ((after = page.next_cursor) === null) break;
    }
    return keys;
  }
}

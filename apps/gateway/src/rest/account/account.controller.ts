import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { Accounts, type Principal } from '#libs/accounts';
import { Caller } from '../../http/caller.js';
import { RequiresScope, WholeAccount } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { AccountDto, ChangeAccountDto } from './account.dto.js';

const TAG = 'Account';

/** The caller's account. */
@Controller('account')
export class AccountController {
  constructor(private readonly accounts: Accounts) {}

  @Get()
  @RequiresScope('account.read')
  @WholeAccount()
  @Operation({ tag: TAG, summary: 'Get the account', response: AccountDto })
  get(@Caller() { accountId }: Principal): Promise<AccountDto> {
    return this.accounts.view(accountId);
  }

  @Patch()
  @RequiresScope('account.write')
  @WholeAccount()
  @ApiBody({
    type: ChangeAccountDto,
    examples: {
      name: { summary: 'Another name', value: { name: 'Example Ltd' } },
      notices: { summary: 'Addresses for notices', value: { notify_addresses: ['ops@example.com'] } },
    },
  })
  @Operation({
    tag: TAG,
    summary: 'Change the account',
    description:
      'Absent fields are not changed. `notify_addresses` replaces the whole list; an empty list sends no notices.',
    response: AccountDto,
    errors: [400],
  })
  change(@Caller() { accountId, keyId, ip }: Principal, @Body(BodyPipe) dto: ChangeAccountDto): Promise<AccountDto> {
    return this.accounts.change(
      accountId,
      { name: dto.name, notifyAddresses: dto.notify_addresses },
      { actor: keyId, ip },
    );
  }
}

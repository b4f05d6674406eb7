import { Args, Field, Int, Mutation, ObjectType, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { Config } from '#libs/kernel';
import { AccountController } from '../../rest/account/account.controller.js';
import { AccountDto, ChangeAccountDto, SendingPauseDto } from '../../rest/account/account.dto.js';
import { dtoOf, inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Long } from '../scalars.js';

objectType('SendingPause', SendingPauseDto, {
  description: 'Why the sending of an account is paused.',
  fields: { recipients: { type: Long }, hard_bounces: { type: Long }, complaints: { type: Long } },
});
const AccountType = objectType('Account', AccountDto, { description: 'The account of the API key.' });
const UpdateAccountInput = inputType('UpdateAccountInput', ChangeAccountDto, {
  description: 'Changes of the account. Absent fields are not changed.',
});

@ObjectType('SmtpRelay', { description: 'How clients reach the SMTP relay of the service.' })
export class SmtpRelayType {
  @Field(() => String, { description: 'The public name of the relay' })
  host: string;

  @Field(() => Int, { description: 'The port that requires STARTTLS before the login' })
  starttlsPort: number;

  @Field(() => Int, { description: 'The port with TLS from the first byte' })
  tlsPort: number;

  @Field(() => Boolean, { description: 'True if the relay created its certificate itself: clients must be given it' })
  hasSelfSignedCertificate: boolean;
}

/** The account of the caller. */
@Resolver(() => AccountType)
export class AccountResolver {
  constructor(
    private readonly rest: AccountController,
    private readonly config: Config,
  ) {}

  @Query(() => AccountType, { description: 'The account.' })
  account(@CallerOf(AccountController, 'get') caller: Principal): Promise<AccountDto> {
    return this.rest.get(caller);
  }

  @Mutation(() => AccountType, {
    description: 'Changes the account. `notifyAddresses` replaces the whole list; an empty list sends no notices.',
  })
  updateAccount(
    @CallerOf(AccountController, 'change') caller: Principal,
    @Args('input', { type: () => UpdateAccountInput, description: 'The changes' }) input: ChangeAccountDto,
  ): Promise<AccountDto> {
    return this.rest.change(caller, dtoOf(UpdateAccountInput, input));
  }

  @ResolveField(() => SmtpRelayType, { description: 'How clients reach the SMTP relay of the service.' })
  smtpRelay(): SmtpRelayType {
    const s = this.config.settings;
    return {
      host: s.PUBLIC_SMTP_HOST,
      starttlsPort: s.PUBLIC_SMTP_PORT,
      tlsPort: s.PUBLIC_SMTPS_PORT,
      hasSelfSignedCertificate: s.SMTP_TLS_CERT === undefined,
    };
  }

  @ResolveField(() => Boolean, {
    description: 'True if the service captures all e-mails instead of delivering them (`DELIVERY_MODE=capture`).',
  })
  capturesEmails(): boolean {
    return this.config.settings.DELIVERY_MODE === 'capture';
  }
}

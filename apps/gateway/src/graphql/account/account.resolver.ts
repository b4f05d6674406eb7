import { Field, Int, ObjectType, ResolveField, Resolver } from '@nestjs/graphql';
import { simulations } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { AccountType } from './account.type.js';

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

/** The fields of the account that the service itself knows. */
@Resolver(() => AccountType)
export class AccountResolver {
  constructor(private readonly config: Config) {}

  @ResolveField(() => SmtpRelayType, { description: 'How clients reach the SMTP relay of the service.' })
  smtpRelay(): SmtpRelayType {
    const s = this.config.settings;
    return {
      host: s.PUBLIC_SMTP_HOST,
      starttlsPort: s.PUBLIC_SMTP_PORT,
      tlsPort: s.PUBLIC_SMTPS_PORT,
      hasSelfSignedCertificate: s.SMTP_TLS_CERT === undefined && !s.ACME_TERMS_AGREED,
    };
  }

  @ResolveField(() => String, {
    description:
      'The domain of the simulator: `delivered@` this domain is delivered to nobody and counts as delivered.',
  })
  simulatorDomain(): string {
    return simulations.domainOf(this.config.settings.SERVICE_DOMAIN);
  }

  @ResolveField(() => Boolean, {
    description: 'True if the service captures all emails instead of delivering them (`DELIVERY_MODE=capture`).',
  })
  capturesEmails(): boolean {
    return this.config.settings.DELIVERY_MODE === 'capture';
  }
}

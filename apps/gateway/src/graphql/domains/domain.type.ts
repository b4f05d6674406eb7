import { Field, ID, ObjectType } from '@nestjs/graphql';
import { ENVELOPE_POLICIES, type DomainView } from '#libs/domains';
import { DateTime, stringEnum } from '../scalars.js';

const DomainStatus = stringEnum('DomainStatus', ['pending', 'active', 'failed']);
const EnvelopePolicy = stringEnum('EnvelopePolicy', [...ENVELOPE_POLICIES]);
const DomainRecordStatus = stringEnum('DomainRecordStatus', ['pending', 'verified', 'failed']);

@ObjectType('DomainRecord', { description: 'A DNS record to publish for a sending domain.' })
export class DomainRecordType {
  @Field(() => String)
  record: string;
  @Field(() => String)
  type: string;
  @Field(() => String)
  name: string;
  @Field(() => String)
  value: string;
  @Field(() => String, {
    nullable: true,
    description: 'For a DKIM record: the target of a CNAME that can be published instead of the TXT record.',
  })
  cname: string | null;
  @Field(() => String)
  ttl: string;
  @Field(() => DomainRecordStatus)
  status: keyof typeof DomainRecordStatus;
  @Field(() => Boolean, { description: 'The domain becomes active when all required records are verified.' })
  required: boolean;
  @Field(() => DateTime, { nullable: true })
  lastCheckedAt: string | null;
  @Field(() => [String], { description: 'The values found in DNS by the last check.' })
  observed: string[];
  @Field(() => String, { nullable: true })
  error: string | null;
}

@ObjectType('Domain', { description: 'A sending domain of the account.' })
export class DomainType {
  @Field(() => ID)
  id: string;
  @Field(() => String)
  name: string;
  @Field(() => DomainStatus)
  status: keyof typeof DomainStatus;
  @Field(() => DateTime)
  createdAt: string;
  @Field(() => String)
  region: string;
  @Field(() => EnvelopePolicy, {
    description:
      'shared: recipients at one domain share an SMTP transaction and a return path. per_recipient: each has its own.',
  })
  envelope: keyof typeof EnvelopePolicy;
  @Field(() => [DomainRecordType])
  records: DomainRecordType[];
}

/** The REST response in camelCase. */
export function toDomain(view: DomainView): DomainType {
  return {
    id: view.id,
    name: view.name,
    status: view.status,
    createdAt: view.created_at,
    region: view.region,
    envelope: view.envelope,
    records: view.records.map(({ last_checked_at, ...record }) => ({ ...record, lastCheckedAt: last_checked_at })),
  };
}

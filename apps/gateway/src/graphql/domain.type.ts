import { Field, ID, ObjectType } from '@nestjs/graphql';
import type { DomainView } from '#libs/domains';
import { DateTime } from './date-time.js';
import { wordEnum } from './word-enum.js';

const DomainStatus = wordEnum('DomainStatus', ['pending', 'active', 'failed']);
const DomainRecordStatus = wordEnum('DomainRecordStatus', ['pending', 'verified', 'failed']);

@ObjectType('DomainRecord', { description: 'A DNS record to set for a sending domain.' })
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
    description: 'Of a DKIM record: where a CNAME with this name may lead instead of the TXT record.',
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
  @Field(() => [String], { description: 'What DNS said at the last check.' })
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
  @Field(() => [DomainRecordType])
  records: DomainRecordType[];
}

/** The same answer as over REST, in camelCase. */
export function presentDomain(view: DomainView): DomainType {
  return {
    id: view.id,
    name: view.name,
    status: view.status,
    createdAt: view.created_at,
    region: view.region,
    records: view.records.map(({ last_checked_at, ...record }) => ({ ...record, lastCheckedAt: last_checked_at })),
  };
}

import { Field, Float, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { STANDINGS, type AccountOverview, type AccountStatus, type Standing, accountShapes } from '#libs/accounts';
import type { SendingPause } from '#libs/contracts';
import type { MetricValues } from '#libs/stats';
import { AccountPenaltyType } from '../account/account.type.js';
import { connectionType } from '../connection.js';
import { enumOf } from '../enums.js';
import { DateTime, Long, stringEnum } from '../scalars.js';
import { StatsValuesType } from '../stats/stats.type.js';
import { figuresOf, type AccountFigures } from './account-figures.js';

export const AccountStatusEnum = enumOf(accountShapes.account.fields.status.words) as object;
export const AccountPoolChoice = enumOf(accountShapes.operatorAccount.fields.pool_choice.words) as object;
export const AccountStanding = stringEnum('AccountStanding', STANDINGS, 'Status that the operator gave an account.');

@ObjectType('MonthlyUsage', { description: 'Units that an account has used this month.' })
class MonthlyUsageType {
  @Field(() => Long, { description: 'Units of this calendar month (UTC).' })
  used: number;
  @Field(() => Long, { description: 'The limit of the plan.' })
  limit: number;
}

@ObjectType('SendingOutcomes', { description: 'Live recipients settled within the window of the brakes.' })
class SendingOutcomesType {
  @Field(() => Long, { description: 'Recipients whose delivery has ended.' })
  recipients: number;
  @Field(() => Long, { description: 'How many of them bounced permanently.' })
  hardBounces: number;
  @Field(() => Long, { description: 'How many of them reported the email as unwanted.' })
  complaints: number;
  @Field(() => Long, { description: 'Replies of servers that refused or deferred emails as unwanted.' })
  blocks: number;
}

@ObjectType('AutomaticPause', { description: 'Why the brakes have paused an account.' })
class AutomaticPauseType {
  @Field(() => String, { description: 'The rate that was exceeded: `bounces` or `complaints`.' })
  reason: SendingPause['reason'];
  @Field(() => DateTime, { description: 'When sending was paused.' })
  pausedAt: string;
  @Field(() => Long, { description: 'Recipients that had been counted.' })
  recipients: number;
  @Field(() => Long, { description: 'How many of them bounced permanently.' })
  hardBounces: number;
  @Field(() => Long, { description: 'How many of them reported the email as unwanted.' })
  complaints: number;
  @Field(() => Float, { description: 'The limit that was exceeded, in percent of the recipients.' })
  limitPercent: number;
}

@ObjectType('OperatorAccount', { description: 'An account as the operator sees it.' })
export class OperatorAccountType {
  @Field(() => ID, { description: 'The id of the account.' })
  id: string;
  @Field(() => String, { description: 'The name that its owner gave it.' })
  name: string;
  @Field(() => AccountStatusEnum, { description: 'Whether it may send.' })
  status: AccountStatus;
  @Field(() => AccountStanding, { description: 'What the operator has decided.' })
  standing: Standing;
  @Field(() => AutomaticPauseType, { nullable: true, description: 'Null unless the brakes have paused it.' })
  pause: AutomaticPauseType | null;
  @Field(() => AccountPoolChoice, {
    description: 'Who decides about its source pool: `auto`, the limits; otherwise the operator.',
  })
  poolChoice: AccountOverview['poolChoice'];
  @Field(() => AccountPenaltyType, {
    nullable: true,
    description: 'Why its emails leave from the penalty pool; null while they do not.',
  })
  penalty: AccountOverview['penalty'];
  @Field(() => Float, { nullable: true, description: 'Its limit of bounces before a pause; null: that of all.' })
  bounceLimitPercent: number | null;
  @Field(() => Float, { nullable: true, description: 'Its limit of complaints before a pause; null: that of all.' })
  complaintLimitPercent: number | null;
  @Field(() => String, { description: '`free`, `unlimited` or a number of units per month.' })
  plan: string;
  @Field(() => MonthlyUsageType, { nullable: true, description: 'Null for an unlimited plan, which is not counted.' })
  usage: MonthlyUsageType | null;
  @Field(() => SendingOutcomesType, { description: 'What the brakes have counted.' })
  outcomes: SendingOutcomesType;
  @Field(() => StatsValuesType, {
    nullable: true,
    description:
      'Counts and rates of the last 24 hours, as `stats` of the account; null while the statistics cannot be read.',
  })
  stats: MetricValues | null;
  @Field(() => Long, {
    nullable: true,
    description:
      'Recipients accepted in this calendar month (UTC), on every plan; null while the statistics cannot be read.',
  })
  acceptedThisMonth: number | null;
  @Field(() => Int, { description: 'The number of members.' })
  members: number;
  @Field(() => [String], { description: 'Addresses that receive notices.' })
  notifyAddresses: string[];
  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt: Date;
  @Field(() => Boolean, { description: 'Whether it is the first account, whose administrators operate the service.' })
  isFirst: boolean;
}

export const OperatorAccountConnection = connectionType<OperatorAccountType>('OperatorAccount', OperatorAccountType);

@InputType('CreateAccountInput', { description: 'A new account.' })
export class CreateAccountInput {
  @Field(() => String, { description: 'Its name.' })
  name: string;
  @Field(() => String, {
    nullable: true,
    description: '`free` (the default), `unlimited` or a number of units per month.',
  })
  plan?: string | null;
  @Field(() => String, { nullable: true, description: 'The address of its first owner, who is invited by email.' })
  ownerEmail?: string | null;
}

@ObjectType('CreatedAccount', { description: 'A new account and its first API key.' })
export class CreatedAccountType {
  @Field(() => OperatorAccountType, { description: 'The account.' })
  account: OperatorAccountType;
  @Field(() => String, { description: 'The API key, which is shown this once.' })
  apiKey: string;
  @Field(() => String, {
    nullable: true,
    description: 'Why the owner could not be invited; null if an invitation was sent, or none was requested.',
  })
  invitationProblem: string | null;
}

interface AccountFacts {
  members: ReadonlyMap<string, number>;
  firstId: string | undefined;
  figures: AccountFigures;
}

/** @param of what is known about each account, and the id of the first account */
export function toOperatorAccount(
  { sendingPause, abuseLimits, ...overview }: AccountOverview,
  of: AccountFacts,
): OperatorAccountType {
  return {
    ...overview,
    bounceLimitPercent: abuseLimits.bounce_percent ?? null,
    complaintLimitPercent: abuseLimits.complaint_percent ?? null,
    pause: sendingPause && {
      reason: sendingPause.reason,
      pausedAt: sendingPause.paused_at,
      recipients: sendingPause.recipients,
      hardBounces: sendingPause.hard_bounces,
      complaints: sendingPause.complaints,
      limitPercent: sendingPause.limit_percent,
    },
    ...figuresOf(of.figures, overview.id),
    members: of.members.get(overview.id) ?? 0,
    isFirst: overview.id === of.firstId,
  };
}

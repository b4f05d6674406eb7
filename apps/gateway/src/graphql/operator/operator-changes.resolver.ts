import { Args, ArgsType, Field, ID, Int, Mutation, Resolver } from '@nestjs/graphql';
import type { AccountOverview, ChangedBy, Standing } from '#libs/accounts';
import { ParkedEvents, type Selection } from '#libs/bus';
import { isId, Refusal } from '#libs/contracts';
import { DoctorRuns, type DoctorRun } from '#libs/doctor';
import { domainName } from '#libs/domains';
import { HeldQueues } from '#libs/queue';
import { requireOnlyOne } from '../../rest/validation/invalid-fields.js';
import { ResumedQueueType, type ResumedQueueDto } from '../queues/queue.type.js';
import {
  AccountPoolChoice,
  AccountStanding,
  CreateAccountInput,
  CreatedAccountType,
  OperatorAccountType,
} from './accounts.type.js';
import { DoctorRunType } from './health.type.js';
import { OperatorAccounts } from './operator-accounts.js';
import { OperatorOf } from './operator-access.js';

type Person = NonNullable<ChangedBy>;

@ArgsType()
class ParkedSelection {
  @Field(() => ID, { nullable: true, description: 'One entry' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'All entries of a consumer, instead of `id`' })
  consumer?: string | null;
}

/** Changes by the operator of the service. Every change of an account is in the audit log. */
@Resolver()
export class OperatorChangesResolver {
  constructor(
    private readonly accounts: OperatorAccounts,
    private readonly queues: HeldQueues,
    private readonly parked: ParkedEvents,
    private readonly runs: DoctorRuns,
  ) {}

  @Mutation(() => CreatedAccountType, {
    description: 'Creates an account and its first API key, and invites its owner. For the operator of the service.',
  })
  createAccount(
    @OperatorOf() by: Person,
    @Args('input', { type: () => CreateAccountInput, description: 'The account' }) input: CreateAccountInput,
  ): Promise<CreatedAccountType> {
    return this.accounts.create(by, input);
  }

  @Mutation(() => OperatorAccountType, {
    description:
      'Blocks or unblocks an account, or marks a payment as overdue. Requests of an account that is not active get 403; its ' +
      'data stays. For the operator of the service.',
  })
  setAccountStanding(
    @OperatorOf() by: Person,
    @Args('id', { type: () => ID, description: 'The id of the account' }) id: string,
    @Args('standing', { type: () => AccountStanding, description: 'The decision' }) standing: Standing,
  ): Promise<OperatorAccountType> {
    return this.accounts.setStanding(by, accountId(id), standing);
  }

  @Mutation(() => OperatorAccountType, {
    description: 'Sets the plan of an account. The usage of this month remains. For the operator of the service.',
  })
  setAccountPlan(
    @OperatorOf() by: Person,
    @Args('id', { type: () => ID, description: 'The id of the account' }) id: string,
    @Args('plan', { type: () => String, description: '`free`, `unlimited` or a number of units per month' })
    plan: string,
  ): Promise<OperatorAccountType> {
    return this.accounts.setPlan(by, accountId(id), plan);
  }

  @Mutation(() => OperatorAccountType, {
    description: 'Resumes the sending of an account that the brakes have paused. For the operator of the service.',
  })
  resumeAccount(
    @OperatorOf() by: Person,
    @Args('id', { type: () => ID, description: 'The id of the account' }) id: string,
  ): Promise<OperatorAccountType> {
    return this.accounts.resume(by, accountId(id));
  }

  @Mutation(() => OperatorAccountType, {
    description:
      'Decides about the source pool of an account; `auto` leaves it to the limits. Its owner is told if it moves. For the ' +
      'operator of the service.',
  })
  setAccountPool(
    @OperatorOf() by: Person,
    @Args('id', { type: () => ID, description: 'The id of the account' }) id: string,
    @Args('pool', { type: () => AccountPoolChoice, description: 'The decision' }) pool: AccountOverview['poolChoice'],
  ): Promise<OperatorAccountType> {
    return this.accounts.setPool(by, accountId(id), pool);
  }

  @Mutation(() => OperatorAccountType, {
    description: 'Invites an owner of an account by email. For the operator of the service.',
  })
  inviteOwner(
    @OperatorOf() by: Person,
    @Args('id', { type: () => ID, description: 'The id of the account' }) id: string,
    @Args('email', { type: () => String, description: 'The address of the person' }) email: string,
  ): Promise<OperatorAccountType> {
    return this.accounts.inviteOwner(by, accountId(id), email);
  }

  @Mutation(() => ResumedQueueType, {
    description: 'Ends what holds a queue back: its mail is due at once. For the operator of the service.',
  })
  resumeQueue(
    @OperatorOf() _by: Person,
    @Args('queue', { type: () => ID, description: 'As in `Throttle.queue`' }) queue: string,
  ): Promise<ResumedQueueDto> {
    return this.queues.resume(queue);
  }

  @Mutation(() => Int, {
    description: 'Asks consumers to handle parked events again; returns their number. For the operator of the service.',
  })
  replayParkedEvents(@OperatorOf() _by: Person, @Args() selection: ParkedSelection): Promise<number> {
    return this.parked.requestReplay(selected(selection));
  }

  @Mutation(() => Int, {
    description:
      'Deletes parked events, which their consumer then never sees; returns their number. For the operator of the service.',
  })
  dropParkedEvents(@OperatorOf() _by: Person, @Args() selection: ParkedSelection): Promise<number> {
    return this.parked.drop(selected(selection));
  }

  @Mutation(() => DoctorRunType, {
    description:
      'Starts the doctor in the background; `operator.doctor` has its results. For the operator of the service.',
  })
  runDoctor(
    @OperatorOf() by: Person,
    @Args('domain', { type: () => String, nullable: true, description: 'A domain to examine as well' })
    domain?: string | null,
  ): Promise<DoctorRun> {
    if (!domain) return this.runs.start(by.userId, null);
    const problems = domainName.rule(domain).map(({ code, message }) => ({ field: 'domain', code, message }));
    if (problems.length > 0) throw Refusal.ofFields(problems);
    return this.runs.start(by.userId, domainName.normalise(domain));
  }
}

/** @throws Refusal not_found */
function accountId(id: string): string {
  if (isId('acc', id)) return id;
  throw new Refusal('not_found', [], `There is no account ${id}.`);
}

/** @throws Refusal validation_error for both, missing_required_field for none */
function selected({ id, consumer }: ParkedSelection): Selection {
  requireOnlyOne({ id: id ?? undefined, consumer: consumer ?? undefined });
  if (id) return { id };
  if (consumer) return { consumer };
  throw Refusal.ofFields([{ field: 'id', code: 'required', message: 'is required, or consumer' }]);
}

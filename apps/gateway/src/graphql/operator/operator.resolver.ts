import { Args, ArgsType, Field, ID, ObjectType, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { DoctorRuns, type DoctorRun } from '#libs/doctor';
import { Config } from '#libs/kernel';
import { HeldQueues, QueueOverview, SourceOverview } from '#libs/queue';
import type { ParkedEvent } from '#libs/bus';
import type { AccountStatus, ChangedBy } from '#libs/accounts';
import { ForwardPageArgs, type Connection } from '../connection.js';
import { AccountStatusEnum, OperatorAccountConnection, OperatorAccountType } from './accounts.type.js';
import { EventLogStateType, ParkedEventConnection, ParkedEventType, type ParkedEventDto } from './event-log.type.js';
import { AbuseLimitsType, DoctorRunType, ServiceHealthType, ServiceZoneType } from './health.type.js';
import { OperatorAccounts } from './operator-accounts.js';
import { OperatorEventLog } from './operator-event-log.js';
import {
  ProviderQueueType,
  SourceAddressType,
  ThrottleType,
  type ProviderQueueDto,
  type SourceAddressDto,
  type ThrottleDto,
} from '../queues/queue.type.js';
import { OperatorOf } from './operator-access.js';
import { ServiceState } from './service-state.js';

const MAX_THROTTLES = 500;
const WAITING_COUNTED_TO = 10_000;
const HOUR_MS = 3_600_000;

@ObjectType('Operator', {
  description:
    'The whole service, for the owners and administrators of the first account when they are signed in to the dashboard.',
})
export class OperatorType {}

@ArgsType()
class AccountsArgs extends ForwardPageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Part of the name, the id, a domain, or the address of a member. Case does not matter',
  })
  search?: string | null;

  @Field(() => AccountStatusEnum, { nullable: true, description: 'Only accounts with this status' })
  status?: AccountStatus | null;
}

@ArgsType()
class ParkedEventsArgs extends ForwardPageArgs {
  @Field(() => String, { nullable: true, description: 'Only those of this consumer' })
  consumer?: string | null;
}

/** Views of the operator of the service. The fields use the services of the command line. */
@Resolver(() => OperatorType)
export class OperatorResolver {
  constructor(
    private readonly directory: OperatorAccounts,
    private readonly queueOverview: QueueOverview,
    private readonly held: HeldQueues,
    private readonly sourceOverview: SourceOverview,
    private readonly events: OperatorEventLog,
    private readonly runs: DoctorRuns,
    private readonly state: ServiceState,
    private readonly config: Config,
  ) {}

  @Query(() => OperatorType, { description: 'The whole service. API keys get 403.' })
  operator(@OperatorOf() _by: ChangedBy): OperatorType {
    return new OperatorType();
  }

  @ResolveField(() => OperatorAccountConnection, {
    description:
      'The accounts, newest first. With a selective filter a page may be short or empty although `hasNextPage` is true.',
  })
  accounts(@Args() { search, status, ...page }: AccountsArgs): Promise<Connection<OperatorAccountType>> {
    return this.directory.page(page, { search: search ?? undefined, status: status ?? undefined });
  }

  @ResolveField(() => OperatorAccountType, { nullable: true, description: 'One account; null if there is none.' })
  account(
    @Args('id', { type: () => ID, description: 'The id of the account' }) id: string,
  ): Promise<OperatorAccountType | null> {
    return this.directory.find(id);
  }

  @ResolveField(() => AbuseLimitsType, { description: 'The limits of the brakes.' })
  abuseLimits(): AbuseLimitsType {
    const { ABUSE_BRAKES, ABUSE_WINDOW, ABUSE_MINIMUM_RECIPIENTS, ABUSE_BOUNCE_PERCENT, ABUSE_COMPLAINT_PERCENT } =
      this.config.settings;
    return {
      enabled: ABUSE_BRAKES && this.config.settings.DELIVERY_MODE !== 'capture',
      windowHours: ABUSE_WINDOW / HOUR_MS,
      minimumRecipients: ABUSE_MINIMUM_RECIPIENTS,
      bouncePercent: ABUSE_BOUNCE_PERCENT,
      complaintPercent: ABUSE_COMPLAINT_PERCENT,
      hasPenaltyPool: this.config.settings.PENALTY_POOL !== undefined,
    };
  }

  @ResolveField(() => [ProviderQueueType], {
    description: 'What waits to be delivered, by mailbox provider, those with the most recipients first; at most 200.',
  })
  queues(): Promise<ProviderQueueDto[]> {
    return this.queueOverview.byProvider();
  }

  @ResolveField(() => [ThrottleType], { description: 'Queues that are held back, with the cause; at most 500.' })
  throttles(): Promise<ThrottleDto[]> {
    return this.held.list({ limit: MAX_THROTTLES, countedTo: WAITING_COUNTED_TO });
  }

  @ResolveField(() => [SourceAddressType], {
    description: 'The source addresses of SHAPING_FILE; empty if the system chooses the address.',
  })
  sources(): Promise<SourceAddressDto[]> {
    return this.sourceOverview.list();
  }

  @ResolveField(() => EventLogStateType, { description: 'How far events have got.' })
  eventLog(): Promise<EventLogStateType> {
    return this.events.state();
  }

  @ResolveField(() => ParkedEventConnection, { description: 'Events that consumers could not handle, oldest first.' })
  parkedEvents(@Args() { consumer, ...page }: ParkedEventsArgs): Promise<Connection<ParkedEvent>> {
    return this.events.parkedPage(page, consumer ?? null);
  }

  @ResolveField(() => ParkedEventType, {
    nullable: true,
    description: 'One parked event with its content; null if there is none.',
  })
  parkedEvent(
    @Args('id', { type: () => ID, description: 'The id of the entry' }) id: string,
  ): Promise<ParkedEventDto | null> {
    return this.events.findParked(id);
  }

  @ResolveField(() => ServiceHealthType, { description: 'The state of the service.' })
  health(): Promise<ServiceHealthType> {
    return this.state.health();
  }

  @ResolveField(() => DoctorRunType, {
    nullable: true,
    description: 'The newest run of the doctor; null before the first.',
  })
  doctor(): Promise<DoctorRun | null> {
    return this.runs.latest();
  }

  @ResolveField(() => ServiceZoneType, { description: 'DNS records that the operator publishes.' })
  zone(): Promise<ServiceZoneType> {
    return this.state.zone();
  }
}

import { Args, ArgsType, Context, Field, ID, Resolver, Subscription } from '@nestjs/graphql';
import {
  assertDomainsVisible,
  EVENT_TYPES,
  isId,
  Refusal,
  seesDomain,
  type DomainStats,
  type IdPrefix,
  type LoggedEvent,
  type Visibility,
} from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { EmailQueries } from '#libs/emails';
import { Semaphore, TtlCache } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import type { QueueDto } from '../../rest/queues/queues.dto.js';
import { invalidCursor } from '../../rest/list.dto.js';
import { invalidParameter } from '../../rest/validation/invalid-fields.js';
import { DomainStatsType } from '../domains/domain-stats.type.js';
import { EventType, toEvent } from '../events/event.type.js';
import type { GraphqlCaller } from '../graphql-caller.js';
import { QueueType } from '../queues/queue.type.js';
import { AccountStatsType } from './account-stats.type.js';
import { EventFeed } from './event-feed.js';
import { LiveStatistics, type AccountStats } from './live-statistics.js';
import { QueueFeed } from './queue-feed.js';
import { whileUnavailable } from './while-unavailable.js';

@ArgsType()
export class EmailEventsArgs {
  @Field(() => ID, { nullable: true, description: 'Only events of this domain and its emails.' })
  domainId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only events of this email.' })
  emailId?: string | null;
  @Field(() => String, { nullable: true, description: 'Only events about this recipient.' })
  recipient?: string | null;
  @Field(() => [String], { nullable: true, description: 'Only events of these types, such as `email.delivered`.' })
  types?: string[] | null;
  @Field(() => ID, {
    nullable: true,
    description: 'The id of the last event that the client has: the events after it come first. Omitted: from now on.',
  })
  after?: string | null;
}

/** How long an existing domain is taken for granted by further subscriptions. */
const DOMAIN_KNOWN_MS = 1_000;
const KNOWN_DOMAINS = 10_000;
/** Look-ups at once; the others wait in line, so that many clients that reconnect do not use up the connection pool. */
const CONCURRENT_LOOKUPS = 4;

/** The live subscriptions; see docs/live.md. */
@Resolver()
export class LiveResolver {
  private readonly lookups = new Semaphore(CONCURRENT_LOOKUPS);
  private readonly domains: TtlCache<true>;

  constructor(
    sendingDomains: SendingDomains,
    private readonly emails: EmailQueries,
    private readonly statistics: LiveStatistics,
    private readonly events: EventFeed,
    private readonly queues: QueueFeed,
  ) {
    this.domains = new TtlCache({
      load: (key) => {
        const [accountId, domainId] = key.split(' ');
        const visibility = { accountId, mode: 'live' as const, domainIds: null };
        const find = async () => ((await sendingDomains.find(visibility, domainId)) ? true : null);
        return this.lookups.run(() => whileUnavailable(find));
      },
      ttlMs: DOMAIN_KNOWN_MS,
      maxEntries: KNOWN_DOMAINS,
    });
  }

  @Subscription(() => DomainStatsType, {
    name: 'domainStats',
    description: 'The counts of the last 24 hours: at once, then after every change, at most ten times a second.',
    resolve: (stats: DomainStats) => stats,
  })
  async domainStats(
    @Args('domainId', { type: () => ID, description: 'A sending domain of the account.' }) domainId: string,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<AsyncIterable<DomainStats>> {
    const visibility = caller.allowed('stats.read');
    await this.requireDomain(visibility, domainId);
    return this.statistics.ofDomain(visibility, domainId);
  }

  @Subscription(() => AccountStatsType, {
    name: 'accountStats',
    description:
      'The counts of the last 24 hours of all domains that the key sees, together: at once, then after every change, at most ten times a second.',
    resolve: (stats: AccountStats) => stats,
  })
  accountStats(@Context('caller') caller: GraphqlCaller): Promise<AsyncIterable<AccountStats>> {
    return this.statistics.ofAccount(caller.allowed('stats.read'));
  }

  @Subscription(() => EventType, {
    name: 'emailEvents',
    description:
      'Every event that the key may see, of all types of `GET /events`, in the order of the event log. A client that passes the id of the last event it received as `after` continues without a gap and without a repetition.',
    resolve: (event: LoggedEvent) => toEvent(event),
  })
  async emailEvents(
    @Args() given: EmailEventsArgs,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<AsyncIterable<LoggedEvent>> {
    const visibility = caller.allowed('emails.read');
    const { domainId, emailId, recipient, types, after } = given;
    requireId('domainId', 'dom', domainId);
    requireId('emailId', 'em', emailId);
    requireTypes(types);
    if (after && !isId('evt', after)) throw invalidCursor('after', 'must be an id such as evt_…');
    if (domainId) {
      assertDomainsVisible(visibility, [{ field: 'domainId', id: domainId }]);
      await this.requireDomain(visibility, domainId);
    }
    if (emailId) await this.requireEmail(visibility, emailId);
    const selection = {
      ...(types ? { types } : {}),
      ...(domainId ? { domainId } : {}),
      ...(emailId ? { emailId } : {}),
      ...(recipient ? { recipient: normaliseAddress(recipient) } : {}),
    };
    return this.events.open(visibility, selection, after ?? undefined);
  }

  @Subscription(() => [QueueType], {
    name: 'queues',
    description: 'What waits to be delivered, for whom, why and since when: at once, then after every change.',
    resolve: (queues: QueueDto[]) => queues,
  })
  queuesChanged(@Context('caller') caller: GraphqlCaller): Promise<AsyncIterable<QueueDto[]>> {
    return this.queues.open(caller.allowedStates('emails.read'));
  }

  private async requireDomain(visibility: Visibility, domainId: string): Promise<void> {
    const isVisible = isId('dom', domainId) && seesDomain(visibility, domainId);
    if (!isVisible || !(await this.domains.get(`${visibility.accountId} ${domainId}`))) throw new Refusal('not_found');
  }

  /** A stream for an email that does not exist would be silent for ever. */
  private async requireEmail(visibility: Visibility, emailId: string): Promise<void> {
    const find = () => this.emails.summary(visibility, emailId);
    if (!(await this.lookups.run(() => whileUnavailable(find)))) throw new Refusal('not_found');
  }
}

function requireId(field: string, prefix: IdPrefix, id: string | null | undefined): void {
  if (id !== null && id !== undefined && !isId(prefix, id))
    throw invalidParameter(field, `must be an id such as ${prefix}_…`);
}

function requireTypes(types: readonly string[] | null | undefined): void {
  if (!types) return;
  const known: readonly string[] = EVENT_TYPES;
  if (types.length === 0 || types.some((type) => !known.includes(type)))
    throw invalidParameter('types', `must be a list of at least one of ${EVENT_TYPES.join(', ')}`);
}

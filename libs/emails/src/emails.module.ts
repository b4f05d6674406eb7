import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { SuppressionsModule } from '#libs/suppressions';
import { Config } from '#libs/kernel';
import { RetentionRegistry } from '#libs/persistence';
import { SafeFetch } from '#libs/safe-fetch';
import { TrackingLinks } from '#libs/tracking';
import { DomainRetention } from './commands/domain-retention.js';
import { Retention } from './commands/retention.js';
import { RetryEmail } from './commands/retry-email.js';
import { SystemMail } from './commands/system-mail.js';
import { UnsubscribeRecipient } from './commands/unsubscribe-recipient.js';
import { contentsProvider } from './message/content/open-contents.js';
import { StoredContents } from './message/content/stored-contents.js';
import { AcceptGroups } from './intake/accept-groups.js';
import { AttachmentFetcher } from './intake/attachments/attachment-fetcher.js';
import { EmailIntake } from './intake/email-intake.js';
import { EnvelopeBuilder } from './message/envelope-builder.js';
import { LocalDelivery } from './message/local-delivery.js';
import { MessageBuilder } from './message/message-builder.js';
import { OutgoingHeaders } from './message/outgoing-headers.js';
import { ReturnPath } from './message/return-path.js';
import { UnsubscribeLink } from './message/unsubscribe-link.js';
import { AttachmentLinks } from './queries/attachment-links.js';
import { CapturedMessages } from './queries/captured-messages.js';
import { EmailAttachments } from './queries/email-attachments.js';
import { EmailHistory } from './queries/email-history.js';
import { EmailPreview } from './queries/email-preview.js';
import { EmailQueries } from './queries/email-queries.js';
import { LinkCheck } from './queries/link-check.js';
import { RemoteImages } from './queries/remote-images.js';
import { EmailList } from './queries/list/email-list.js';
import { SearchSegments } from './queries/list/search-segments.js';
import { EarlierLinks } from './tracking/earlier-links.js';
import { RecordVisits } from './tracking/record-visits.js';
import { TrackedContent } from './message/tracking/tracked-content.js';

const EXPORTED = [
  EarlierLinks,
  RecordVisits,
  CapturedMessages,
  EmailIntake,
  EmailQueries,
  EnvelopeBuilder,
  LocalDelivery,
  MessageBuilder,
  ReturnPath,
  SystemMail,
  UnsubscribeLink,
  UnsubscribeRecipient,
];

/** Accepts, composes and reads emails, for every program that handles them. */
@Module({
  imports: [AccountsModule, DomainsModule, SuppressionsModule],
  providers: [
    ...EXPORTED,
    AcceptGroups,
    AttachmentFetcher,
    contentsProvider,
    DomainRetention,
    OutgoingHeaders,
    Retention,
    SafeFetch,
    TrackedContent,
    {
      provide: TrackingLinks,
      inject: [Config],
      useFactory: ({ settings, earlierMasterKeys }: Config) =>
        new TrackingLinks(settings.MASTER_KEY, earlierMasterKeys),
    },
  ],
  exports: [...EXPORTED, StoredContents, TrackingLinks],
})
export class EmailsModule {
  constructor(
    registry: RetentionRegistry,
    captured: CapturedMessages,
    retention: Retention,
    domains: DomainRetention,
    stored: StoredContents,
    { settings }: Config,
  ) {
    registry.register('captured messages', async (now) => ({ 'captured messages': await captured.prune(now) }), {
      overdueSince: (now) => captured.overdueSince(now),
    });
    registry.register(
      'captured messages beyond the limit',
      async () => ({ 'captured messages beyond the limit': await captured.pruneBeyondLimit() }),
      { deleters: 'everywhere' },
    );
    registry.register('contents', async (now) => ({ contents: await retention.contents(now) }), {
      overdueSince: (now) => retention.overdueSince('contents', now),
    });
    registry.register('attempts', async (now) => ({ attempts: await retention.attempts(now) }), {
      overdueSince: (now) => retention.overdueSince('attempts', now),
    });
    registry.register('messages', async (now) => ({ ...(await retention.prune(now)) }), {
      deleters: 'everywhere',
      overdueSince: (now) => retention.overdueSince('messages', now),
    });
    registry.register('periods of domains', async (now) => {
      const { contents, captured: messages } = await domains.prune(now);
      return {
        'contents of domains': { dropped: [], deleted: contents },
        'captured messages of domains': { dropped: [], deleted: messages },
      };
    });
    registry.register('contents outside of the database', async (now) => {
      const before = new Date(now.getTime() - settings.RETENTION_BODIES);
      const erased = await stored.eraseDeleted();
      return { 'contents outside of the database': { dropped: await stored.expire(before), deleted: erased } };
    });
  }
}

const API = [EmailList, EmailHistory, EmailAttachments, EmailPreview, LinkCheck, RemoteImages, RetryEmail];

/** Queries and commands of the API. The program provides the event log. */
@Module({
  imports: [EmailsModule, AccountsModule, DomainsModule, SuppressionsModule],
  providers: [...API, AttachmentLinks, SafeFetch, SearchSegments],
  exports: API,
})
export class EmailsApiModule {}

import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { SuppressionsModule } from '#libs/suppressions';
import { CapturedMail } from './captured-mail.js';
import { EmailQueries } from './email-queries.js';
import { HandOff } from './hand-off.js';
import { InboundMail } from './inbound/inbound-mail.js';
import { InboundStore } from './inbound/inbound-store.js';
import { ReportedBounces } from './inbound/reported-bounces.js';
import { ReportedComplaints } from './inbound/reported-complaints.js';
import { AttachmentFetcher } from './intake/attachment-fetcher.js';
import { EmailIntake } from './intake/email-intake.js';
import { EmailLedger } from './ledger/email-ledger.js';
import { MailMessage } from './mail-message.js';
import { Retention } from './retention.js';
import { OperatorMail } from './notices/operator-mail.js';
import { OutgoingEnvelope } from './outgoing-envelope.js';
import { OutgoingFields } from './outgoing-fields.js';
import { ReturnPath } from './return-path.js';
import { EmailUnsubscribe } from './unsubscribe/email-unsubscribe.js';
import { UnsubscribeLink } from './unsubscribe/unsubscribe-link.js';
import { KeptStsPolicies } from './tls-policy/kept-sts-policies.js';
import { OutgoingTls } from './tls-policy/outgoing-tls.js';
import { TlsReporter } from './tls-reports/tls-reporter.js';
import { TlsResults } from './tls-reports/tls-results.js';

const PARTS = [
  EmailIntake,
  EmailLedger,
  EmailQueries,
  CapturedMail,
  HandOff,
  InboundMail,
  InboundStore,
  MailMessage,
  OutgoingEnvelope,
  Retention,
  ReturnPath,
  UnsubscribeLink,
  EmailUnsubscribe,
  KeptStsPolicies,
  OutgoingTls,
];

@Module({
  imports: [AccountsModule, DomainsModule, SuppressionsModule],
  providers: [
    ...PARTS,
    AttachmentFetcher,
    OutgoingFields,
    OperatorMail,
    ReportedBounces,
    ReportedComplaints,
    TlsReporter,
    TlsResults,
  ],
  exports: [...PARTS, TlsReporter, TlsResults],
})
export class EmailsModule {}

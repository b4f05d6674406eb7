import { EMAIL_STATUSES, LAST_EVENTS, RECIPIENT_TYPES } from '#libs/contracts';
import { domainShapes } from '#libs/domains';
import { emailShapes } from '#libs/emails';
import { accountShapes } from '#libs/accounts';
import { explanationShapes } from '#libs/queue';
import { statsWords } from '#libs/stats';
import { suppressionShapes } from '#libs/suppressions';
import { webhookShapes } from '#libs/webhooks';
import { stringEnum } from './scalars.js';

export { enumOf, isEnumWord } from './scalars.js';

/**
 * The enums of the schema. A field of a DTO with exactly these words has this type; other lists of words, which grow or are no
 * GraphQL names, are strings.
 */
stringEnum('EmailStatus', EMAIL_STATUSES, 'The status of an email, or of one recipient.');
stringEnum('LastEvent', LAST_EVENTS, 'The latest event of an email.');
stringEnum('RecipientType', RECIPIENT_TYPES, 'The field of an email that names a recipient.');
stringEnum('Mode', ['live', 'test'], 'Whether emails are delivered, or only recorded.');
stringEnum('AttemptOutcome', ['delivered', 'bounced', 'deferred'], 'The outcome of a delivery attempt.');
stringEnum(
  'AttemptCertainty',
  ['answered', 'not_sent', 'unknown_outcome'],
  'Whether the message of a deferred attempt may have arrived.',
);
stringEnum(
  'AttemptTlsPolicy',
  ['opportunistic', 'enforced', 'sts', 'sts_testing', 'dane'],
  'The TLS policy of a delivery attempt.',
);
stringEnum('Wait', explanationShapes.recipientExplanation.fields.waiting_for.words, 'What a recipient waits for.');
stringEnum('HeldKind', explanationShapes.held.fields.kind.words, 'The kind of a limit that holds a recipient back.');
stringEnum('ContentDisposition', ['attachment', 'inline'], 'How a file belongs to an email.');
stringEnum(
  'SuppressionPolicy',
  emailShapes.newEmail.fields.suppression_policy.words,
  'How to handle suppressed recipients of an email.',
);
stringEnum('EmailPriority', emailShapes.newEmail.fields.priority.words, 'Which emails of an account go first.');
export const BatchValidation = stringEnum(
  'BatchValidation',
  ['strict', 'permissive'],
  'How to handle a batch with invalid emails.',
);

stringEnum('AccountPool', accountShapes.account.fields.pool.words, 'The source addresses that emails leave from.');
stringEnum(
  'AccountPoolChoice',
  accountShapes.operatorAccount.fields.pool_choice.words,
  'The decision about the source pool of an account: by the limits (`auto`), or by the operator.',
);
stringEnum('DomainStatus', ['pending', 'active', 'failed'], 'The status of a sending domain.');
stringEnum('DomainRecordStatus', ['pending', 'verified', 'failed', 'vouched'], 'The status of a DNS record.');
stringEnum('DkimRotationStatus', ['pending', 'verified', 'switched'], 'The progress of a key rotation.');
stringEnum(
  'EnvelopePolicy',
  domainShapes.domain.fields.envelope.words,
  'How recipients share SMTP transactions and return paths.',
);
stringEnum('AdviceSeverity', domainShapes.advice.fields.severity.words, 'How urgent an advice is.');
stringEnum(
  'AdvicePage',
  domainShapes.advice.fields.page.words,
  'The part of the dashboard where an advice is acted on.',
);
stringEnum('TlsPolicy', domainShapes.domain.fields.tls.words, 'Whether emails of a domain require TLS.');

stringEnum('WebhookStatus', ['enabled', 'disabled'], 'Whether a webhook receives events.');
stringEnum('WebhookDisabledReason', ['gone', 'failing', 'manual'], 'Why a webhook is disabled.');
stringEnum(
  'WebhookDeliveryStatus',
  webhookShapes.webhookEvent.fields.status.words,
  'Whether an event has reached a webhook.',
);

stringEnum('SuppressionOrigin', suppressionShapes.suppression.fields.origin.words, 'Why an address is suppressed.');
stringEnum(
  'SuppressionScope',
  suppressionShapes.suppression.fields.scope.words,
  'The emails that a suppression affects.',
);

stringEnum('AccountStatus', accountShapes.account.fields.status.words, 'Whether an account may send.');
stringEnum('PauseReason', ['bounces', 'complaints'], 'Why the sending of an account is paused.');
stringEnum('Permission', ['full_access', 'sending_access'], 'A set of scopes.');
stringEnum('AllowanceUnit', ['recipient', 'message'], 'The unit of the monthly allowance.');
stringEnum('StatsGranularity', statsWords.granularities, 'The length of a period of statistics.');

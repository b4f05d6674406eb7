import type { EmailEventBase, EmittedType, EventData, RoutedEvent } from '#libs/contracts';
import { outbox } from '#libs/persistence';
import { isSystemMail } from './system-mail-kinds.js';

/**
 * The properties of an email that its events contain or are routed by. The intake builds it from the submission, the
 * queue reads it with a claim.
 */
export interface EmailInfo {
  id: string;
  accountId: string;
  domainId: string;
  /** The API key that submitted it; null for messages of the service itself. */
  apiKeyId: string | null;
  test: boolean;
  sender: string;
  to: string[];
  subject: string;
  tags: Record<string, string>;
  messageId: string;
  createdAt: Date;
}

type EmailType = Extract<EmittedType, `email.${string}`>;
/** The fields that an event type adds to the base of every `email.*` event. */
type ExtraFields<T extends EmailType> = Omit<EventData[T], keyof EmailEventBase>;

/** Builds one event of one recipient, ready for the outbox. */
export function emailEvent<T extends EmailType>(
  email: EmailInfo,
  of: { type: T; recipient: string; sequence: number; at: Date; added: ExtraFields<T> },
): RoutedEvent {
  const base: EmailEventBase = {
    id: email.id,
    email_id: email.id,
    created_at: email.createdAt.toISOString(),
    message_id: email.messageId,
    from: email.sender,
    to: email.to,
    subject: email.subject,
    tags: email.tags,
    recipient: of.recipient,
    // JSON omits undefined. Building the object with `...` costs ten times as much.
    mode: email.test ? 'test' : undefined,
  };
  return outbox.event({
    type: of.type,
    // By definition of `ExtraFields` the two together are the data of the type; the compiler cannot infer it for any T.
    data: Object.assign(base, of.added) as unknown as EventData[T],
    accountId: email.accountId,
    key: email.id,
    sequence: of.sequence,
    domainId: email.domainId,
    apiKeyId: email.apiKeyId,
    test: email.test || isSystemMail(email),
    at: of.at,
  });
}

/** The columns of `emails` that every event contains. */
export interface EmailInfoRow {
  id: string;
  account_id: string;
  domain_id: string;
  api_key_id: string | null;
  mode: string;
  sender: string;
  header_to: string[];
  subject: string;
  tags: Record<string, string>;
  message_id: string;
  created_at: Date;
}

export const emailInfoOf = (row: EmailInfoRow): EmailInfo => ({
  id: row.id,
  accountId: row.account_id,
  domainId: row.domain_id,
  apiKeyId: row.api_key_id,
  test: row.mode === 'test',
  sender: row.sender,
  to: row.header_to,
  subject: row.subject,
  tags: row.tags,
  messageId: row.message_id,
  createdAt: row.created_at,
});

import type { BounceType, EmailEventBase, EmittedType, EventData, RoutedEvent } from '#libs/contracts';
import { isoTime } from '#libs/kernel';
import { routedEvent } from '#libs/persistence';

/** What of a mail its events tell and route by; intake has it in hand, the ledger reads it with a claim. */
export interface MailFacts {
  id: string;
  accountId: string;
  domainId: string;
  test: boolean;
  sender: string;
  to: string[];
  subject: string;
  tags: Record<string, string>;
  messageId: string;
  createdAt: Date;
}

type EmailType = Extract<EmittedType, `email.${string}`>;
/** What a kind adds to the base of every `email.*` event. */
type Added<T extends EmailType> = Omit<EventData[T], keyof EmailEventBase>;

/** One event of one recipient of one mail, ready for the outbox. */
export function emailEvent<T extends EmailType>(
  mail: MailFacts,
  of: { type: T; recipient: string; sequence: number; at: Date; added: Added<T> },
): RoutedEvent {
  const base: EmailEventBase = {
    id: mail.id,
    email_id: mail.id,
    created_at: isoTime(mail.createdAt),
    message_id: mail.messageId,
    from: mail.sender,
    to: mail.to,
    subject: mail.subject,
    tags: mail.tags,
    recipient: of.recipient,
    // Left out of JSON where it is undefined; an object put together by `...` costs ten times as much.
    mode: mail.test ? 'test' : undefined,
  };
  return routedEvent({
    type: of.type,
    // Base and addition make up the type's data by construction of `Added`; the compiler cannot add them up for a T.
    data: Object.assign(base, of.added) as unknown as EventData[T],
    accountId: mail.accountId,
    key: mail.id,
    sequence: of.sequence,
    domainId: mail.domainId,
    test: mail.test,
    at: of.at,
  });
}

/** The part of `email.bounced` that follows from the answer. */
export function bounceFacts(of: {
  type: BounceType;
  class: string;
  text: string;
  code: number | null;
  enhanced: string | null;
  mx: string | null;
  ip: string | null;
}): Added<'email.bounced'> {
  return {
    bounce_type: of.type,
    bounce_message: of.text,
    bounce_class: of.class,
    smtp_code: of.code,
    enhanced_code: of.enhanced,
    mx: of.mx,
    ip: of.ip,
    bounce: { type: of.type, subType: of.class, message: of.text },
  };
}

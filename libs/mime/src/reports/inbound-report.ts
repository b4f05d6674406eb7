/** The data of the returned message or header that a report contains; each null where it does not. */
export interface ReturnedMail {
  /** `Message-ID` with its angle brackets. */
  messageId: string | null;
  /** Value of our trace field `X-Postloft-Ref`. The caller checks its MAC. */
  trace: string | null;
  /** The envelope sender of the message, from `Return-Path`, `Original-Mail-From` and similar fields. */
  returnPath: string | null;
}

/** RFC 3464 §2.3.3. Only `failed` means that no further attempt is made. */
export type DsnAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

/** The status of one recipient in a delivery status notification. */
export interface DeliveryStatus {
  action: DsnAction;
  /** Address without its type; null where free text names none. */
  finalRecipient: string | null;
  originalRecipient: string | null;
  /** RFC 3463, for example `5.1.1`: the more specific one of the field and the text; null where there is none. */
  status: string | null;
  /** Three digits of an SMTP reply in the text; null where there are none. */
  smtpCode: number | null;
  /** The reply of the server that refused, in one line; the text of the reporting server where it quotes none. */
  text: string;
  /** The host that refused, from `Remote-MTA` or the text. */
  remoteMta: string | null;
}

/**
 * A message that came back, read from the message alone. Nothing in it is authenticated: check the token of the return
 * path or of the trace before acting on it.
 */
export type InboundReport =
  | {
      kind: 'delivery';
      /** From `Reporting-MTA`, without its type. */
      reportingMta: string | null;
      /** Never empty. */
      recipients: DeliveryStatus[];
      returned: ReturnedMail;
    }
  | {
      kind: 'feedback';
      /** RFC 5965 §3.1, in lower case: `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `other`, … */
      feedbackType: string;
      userAgent: string | null;
      /** The domain of the report's From. */
      reporter: string | null;
      /**
       * Envelope recipients of the mail, from `Original-Rcpt-To` and similar fields; `isRedacted` says whether one names
       * anybody. The To of the mail is not used, because the complaint may come from a Bcc recipient.
       */
      recipients: string[];
      returned: ReturnedMail;
    }
  | {
      /** An automatic reply (RFC 3834): out of office, challenge, acknowledgement of a request. */
      kind: 'automatic';
      /** Addresses of other people to which it says that a message could not be delivered; mostly empty. */
      failed: string[];
    }
  /** None of these, or unreadable. */
  | { kind: 'unknown' };

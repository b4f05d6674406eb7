/** What of the returned message or header a report still shows; each null where it does not. */
export interface ReturnedMail {
  /** `Message-ID` with its angle brackets. */
  messageId: string | null;
  /** Value of our trace field `X-Postloft-Ref`; who reads it checks its MAC. */
  trace: string | null;
  /** The envelope sender under which it went out, from `Return-Path`, `Original-Mail-From` and their like. */
  returnPath: string | null;
}

/** RFC 3464 §2.3.3. Only `failed` says that nobody will try again. */
export type DsnAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

/** What a delivery status notification tells of one recipient. */
export interface DeliveryStatus {
  action: DsnAction;
  /** Address without its type; null where prose names none. */
  finalRecipient: string | null;
  originalRecipient: string | null;
  /**
   * RFC 3463, for example `5.1.1`: the most telling one of field and words, or what a system's fixed words stand for; null
   * where there is none.
   */
  status: string | null;
  /** Three digits of an SMTP reply in the words; null where there are none. */
  smtpCode: number | null;
  /** The words of the server that refused, in one line; the reporting server's own words where it quotes nobody. */
  text: string;
  /** Host that refused, from `Remote-MTA` or the words. */
  remoteMta: string | null;
}

/**
 * What came back, read from the message alone. Nothing in it is proved: whoever acts on it first checks the token of the
 * return path or of the trace.
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
      /** Who reports: the domain of the report's From. */
      reporter: string | null;
      /**
       * Whose mail it was by the envelope, from `Original-Rcpt-To` and its like; `isRedacted` tells of each whether it names
       * anybody. A shown To is not among them: whoever complains may have been in Bcc.
       */
      recipients: string[];
      returned: ReturnedMail;
    }
  /** Somebody's machine answered: out of office, challenge, "we have received your request" (RFC 3834). */
  | { kind: 'automatic' }
  /** None of these, or broken beyond reading. */
  | { kind: 'unknown' };

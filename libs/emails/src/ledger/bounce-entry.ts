import { normaliseAddress } from '#libs/mime';
import type { ServerReply } from '#libs/mta';
import type { NewSuppression } from '#libs/suppressions';
import type { MailFacts } from '../email-events.js';

const REASON_LENGTH = 500;
const TEXT_LENGTH = 1_000;

/** A mail that was refused: by the server we spoke to, or later by a report. */
export interface RefusedMail {
  mail: Pick<MailFacts, 'id' | 'accountId' | 'test'>;
}

/** Whom it was refused for, and in whose words. */
export interface Refused {
  recipient: { address: string };
  outcome: { reply: ServerReply; remote: { mx: string | null }; endedAt: Date };
  /** Present where nobody was asked. */
  simulated?: object;
}

/** The entry of the suppression list that a refusal leads to: which mail, which server, when and in whose words. */
export function bounceEntry({ mail }: RefusedMail, { recipient, outcome }: Refused): NewSuppression {
  const { reply, remote, endedAt } = outcome;
  return {
    accountId: mail.accountId,
    address: normaliseAddress(recipient.address),
    origin: 'bounce',
    reason: cut(reply.text, REASON_LENGTH),
    sourceId: mail.id,
    evidence: {
      email_id: mail.id,
      recipient: recipient.address,
      smtp_code: reply.code,
      enhanced_code: reply.enhanced,
      text: cut(reply.text, TEXT_LENGTH),
      mx: remote.mx,
      feedback_type: null,
      at: endedAt.toISOString(),
    },
  };
}

/** Half of a surrogate pair at the end would make jsonb refuse the whole outcome. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/\p{Cs}$/u, '');

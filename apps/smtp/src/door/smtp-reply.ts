import { Refusal } from '#libs/contracts';

/** What the server library makes a reply of. */
export class SmtpReply extends Error {
  constructor(
    readonly responseCode: number,
    text: string,
  ) {
    super(text);
  }
}

/** A refusal in SMTP: the table's code and enhanced code, then what is wrong, in one line. */
export function replyOf(refusal: Refusal): SmtpReply {
  const [code, enhanced] = refusal.row.smtp.split(' ');
  const details = refusal.details
    .map((detail) => `${detail.field ? `${detail.field}: ` : ''}${detail.message}`)
    .join('; ');
  const sentence = details ? `${refusal.message} ${details}` : refusal.message;
  return new SmtpReply(Number(code), `${enhanced} ${oneLine(sentence)}`);
}

/** RFC 5321 §4.5.3.1.5: a reply line has at most 512 octets. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 400);

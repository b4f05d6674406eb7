import { Refusal } from '#libs/contracts';

/** An error that smtp-server sends as the reply to a command. */
export class SmtpReply extends Error {
  constructor(
    readonly responseCode: number,
    text: string,
  ) {
    super(text);
  }
}

/** The reply of a refusal: its code and enhanced code, then its message and details in one line. */
export function toSmtpReply(refusal: Refusal): SmtpReply {
  const [code, enhanced] = refusal.row.smtp.split(' ');
  const details = refusal.details
    .map((detail) => `${detail.field ? `${detail.field}: ` : ''}${detail.message}`)
    .join('; ');
  const sentence = details ? `${refusal.message} ${details}` : refusal.message;
  return new SmtpReply(Number(code), `${enhanced} ${oneLine(sentence)}`);
}

/** RFC 5321 §4.5.3.1.5: a reply line has at most 512 octets. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 400);

/** Calls back with the result of a promise; an error becomes the reply that `toReply` makes of it. */
export function callbackify<T>(
  work: Promise<T>,
  done: (error: Error | null, result?: T) => void,
  toReply: (error: unknown) => SmtpReply,
): void {
  work.then(
    (result) => done(null, result),
    (error: unknown) => done(toReply(error)),
  );
}

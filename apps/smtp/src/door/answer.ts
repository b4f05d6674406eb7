import type { SmtpReply } from './smtp-reply.js';

/** Tells the library what came of a command; `translate` makes a reply of whatever was thrown. */
export function answer(
  work: Promise<void>,
  done: (error?: Error | null) => void,
  translate: (error: unknown) => SmtpReply,
): void {
  work.then(
    () => done(),
    (error: unknown) => done(translate(error)),
  );
}

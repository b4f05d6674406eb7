import { inTurns } from '#libs/kernel';
import { readAddressEntry, type Mailbox, type RelayedMessage } from '#libs/mime';

/** Whom a header shows, in its order. */
export type Shown = Record<'to' | 'cc' | 'replyTo', Mailbox[]>;

/** Reads the lists of a header in turns: thousands of mailboxes fit in one, and each may cost some microseconds. */
export const readShown = async ({ to, cc, replyTo }: Pick<RelayedMessage, keyof Shown>): Promise<Shown> => ({
  to: await readList(to),
  cc: await readList(cc),
  replyTo: await readList(replyTo),
});

async function readList(entries: string[]): Promise<Mailbox[]> {
  return (await inTurns(entries, readAddressEntry)).filter((mailbox) => mailbox !== null);
}

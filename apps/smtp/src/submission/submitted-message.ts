import { newId, parseTimestamp } from '#libs/contracts';
import { databaseClock, yielding } from '#libs/kernel';
import { prepareRelayed, readAddressEntry, type Mailbox, type RelayedMessage } from '#libs/mime';
import { SmtpReply } from '../server/smtp-reply.js';

/** The mailboxes of the header fields To, Cc and Reply-To, in their order. */
export type HeaderMailboxes = Record<'to' | 'cc' | 'replyTo', Mailbox[]>;

/** A message as it was submitted and as it is going to be sent. */
export interface SubmittedMessage {
  relayed: RelayedMessage;
  /** The whole message with its corrections, as it is stored. */
  octets: Buffer;
  mailboxes: HeaderMailboxes;
}

/** One pass over a message of this size takes up to a few milliseconds; over the largest up to ten. */
const LARGE_OCTETS = 256 * 1024;

/**
 * Parses a received message. Everything whose duration grows with the message is done here and yields to the event loop;
 * the steps of accepting it do not.
 */
export async function parseMessage(received: Buffer, serviceDomain: string): Promise<SubmittedMessage> {
  const relayed = await readRelayed(received, serviceDomain);
  return { relayed, octets: await yielding.concat(relayed.pieces), mailboxes: await readHeaderMailboxes(relayed) };
}

async function readRelayed(received: Buffer, serviceDomain: string): Promise<RelayedMessage> {
  const isLarge = received.length > LARGE_OCTETS;
  if (isLarge) await yielding.pause();
  const relayed = prepareRelayed(received, {
    serviceDomain,
    messageId: newMessageId,
    date: (at) => databaseClock.notBefore(at === undefined ? null : parseTimestamp(at)),
  });
  if ('problem' in relayed)
    throw new SmtpReply(
      relayed.code,
      `${relayed.enhanced} ${relayed.field ? `${relayed.field}: ` : ''}${relayed.problem}`,
    );
  if (isLarge) await yielding.pause();
  return relayed;
}

const newMessageId = (): string => newId('em').slice(3);

/** Yields between entries: a header may list thousands of mailboxes, each of which takes some microseconds. */
export const readHeaderMailboxes = async ({
  to,
  cc,
  replyTo,
}: Pick<RelayedMessage, keyof HeaderMailboxes>): Promise<HeaderMailboxes> => ({
  to: await readList(to),
  cc: await readList(cc),
  replyTo: await readList(replyTo),
});

async function readList(entries: string[]): Promise<Mailbox[]> {
  return (await yielding.map(entries, readAddressEntry)).filter((mailbox) => mailbox !== null);
}

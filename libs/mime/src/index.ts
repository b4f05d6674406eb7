export { parseMailbox, normaliseAddress, domainOf } from './mailbox.js';
export type { Mailbox, Problem } from './mailbox.js';
export type { MessageParts, MessageAttachment } from './message-parts.js';
export type { DkimAlgorithm, DkimKey } from './dkim-key.js';

import { decodeWords } from './decode-words.js';
import type { HeaderField } from './read-message-head.js';
import type { RelayedMessage, RelayProblem } from './relayed-message.js';

type SingleMember = 'idempotencyKey' | 'scheduledAt' | 'track' | 'listUnsubscribe';
type Controls = Pick<RelayedMessage, 'tags' | 'unknownControls' | SingleMember>;

/** A name may be as long as the header block, a reply line may not. */
const MAX_SHOWN_NAME = 80;
const PREFIX = 'x-service-';
const TAG_PREFIX = 'x-service-tag-';
const SINGLE: Record<string, SingleMember> = {
  'x-service-idempotency-key': 'idempotencyKey',
  'resend-idempotency-key': 'idempotencyKey',
  'x-service-scheduled-at': 'scheduledAt',
  'x-service-track': 'track',
  'x-service-list-unsubscribe': 'listUnsubscribe',
};

/** True for fields that speak to this service and must not travel on. */
export function isControlField(key: string): boolean {
  return key.startsWith(PREFIX) || Object.hasOwn(SINGLE, key);
}

/** Reads the control fields; one that is given twice is refused, since either value may be the one that was meant. */
export function readControlFields(fields: HeaderField[]): Controls | RelayProblem {
  const tags = new Map<string, string>();
  const controls: Pick<Controls, SingleMember> = {};
  const unknownControls: string[] = [];
  for (const { name, key, value } of fields) {
    if (!isControlField(key)) continue;
    const shown = name.slice(0, MAX_SHOWN_NAME);
    const tag = key.startsWith(TAG_PREFIX) ? key.slice(TAG_PREFIX.length) : undefined;
    const member = Object.hasOwn(SINGLE, key) ? SINGLE[key] : undefined;
    if ((tag !== undefined && tags.has(tag)) || (member && controls[member] !== undefined))
      return { problem: 'must be given once', code: 554, enhanced: '5.6.0', field: shown };
    // Libraries encode what they cannot fold, plain ASCII too.
    if (tag !== undefined) tags.set(tag, decodeWords(value));
    else if (member) controls[member] = decodeWords(value);
    else unknownControls.push(shown);
  }
  // fromEntries defines own members, so a tag named __proto__ stays a tag.
  return { tags: Object.fromEntries(tags), unknownControls, ...controls };
}

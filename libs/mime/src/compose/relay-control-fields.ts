import { decodeEncodedWords } from '../parse/encoded-words.js';
import type { HeaderField } from '../parse/message-head.js';
import type { RelayedMessage, RelayProblem } from './relayed-message.js';

type SingleMember = 'idempotencyKey' | 'scheduledAt' | 'track' | 'priority' | 'listUnsubscribe';
type Controls = Pick<RelayedMessage, 'tags' | 'unknownControls' | SingleMember>;

/** The name of a header field is shown in a reply line, which is shorter than a header block. */
const MAX_SHOWN_NAME = 80;
const PREFIX = 'x-service-';
const TAG_PREFIX = 'x-service-tag-';
const SINGLE: Record<string, SingleMember> = {
  'x-service-idempotency-key': 'idempotencyKey',
  'resend-idempotency-key': 'idempotencyKey',
  'x-service-scheduled-at': 'scheduledAt',
  'x-service-track': 'track',
  'x-service-priority': 'priority',
  'x-service-list-unsubscribe': 'listUnsubscribe',
};

/** True for fields with instructions to this service, which are removed. */
export function isControlField(key: string): boolean {
  return key.startsWith(PREFIX) || Object.hasOwn(SINGLE, key);
}

/** Reads the control fields. A repeated field is refused, because either value may be the intended one. */
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
    // Some libraries encode long values, even in ASCII.
    if (tag !== undefined) tags.set(tag, decodeEncodedWords(value));
    else if (member) controls[member] = decodeEncodedWords(value);
    else unknownControls.push(shown);
  }
  // fromEntries defines own members, so that a tag named __proto__ is a tag.
  return { tags: Object.fromEntries(tags), unknownControls, ...controls };
}

import { LIMITS, Refusal, type RefusalDetail } from '#libs/contracts';
import type { RelayedMessage } from '#libs/mime';
import { isIdempotencyKey, releaseTime, scheduledAtRule, tagsRule } from './submission-rules.js';
import type { Submission } from './submission.js';

/** What the control fields of a relayed message ask for (D-25, D-60). */
export interface RelayedOptions extends Pick<Submission, 'tags' | 'scheduledAt' | 'unsubscribe'> {
  idempotencyKey: string | null;
  /** Fields that were read and have no effect, as written: the relay's `x-ignored-fields` (D-5). */
  ignored: string[];
}

const TRACK = ['none', 'opens', 'clicks', 'all'];
/** Of a field's name in a reply, whose line has room for 512 octets (RFC 5321 §4.5.3.1.5). */
const MAX_SHOWN = 80;

/**
 * Judges the control fields by the rules of the API's fields; only a time may be past.
 * @throws Refusal `validation_error` (554 5.6.0) with every field that has a wrong value, and what is allowed.
 */
export function relayedOptions(relayed: RelayedMessage): RelayedOptions {
  const { tags, scheduledAt, idempotencyKey, track, listUnsubscribe, unknownControls } = relayed;
  const problems = [
    ...tagsRule(tags).map(({ path, ...problem }) => ({
      ...problem,
      field: `X-Service-Tag${path.replace('.', '-')}`.slice(0, MAX_SHOWN),
    })),
    ...scheduleProblems(scheduledAt),
    ...idempotencyProblems(idempotencyKey),
    ...trackProblems(track),
    ...unsubscribeProblems(relayed),
  ];
  if (problems.length > 0) throw new Refusal('validation_error', problems, 'A control header is invalid.');
  return {
    tags,
    scheduledAt: releaseTime(scheduledAt),
    idempotencyKey: idempotencyKey ?? null,
    unsubscribe: listUnsubscribe === undefined ? undefined : {},
    ignored: [...(track === undefined || isNone(track) ? [] : ['X-Service-Track']), ...unknownControls],
  };
}

const one = (field: string, code: string, message: string): RefusalDetail[] => [{ field, code, message }];
const isNone = (track: string): boolean => track.toLowerCase() === TRACK[0];

/** A mail may have waited for hours in a server's queue, or come again: a time that has passed by then means now. */
function scheduleProblems(scheduledAt: string | undefined): RefusalDetail[] {
  if (scheduledAt === undefined) return [];
  const problems = scheduledAtRule(scheduledAt).filter(({ code }) => code !== 'in_the_past');
  return problems.flatMap(({ code, message }) => one('X-Service-Scheduled-At', code, message));
}

function idempotencyProblems(key: string | undefined): RefusalDetail[] {
  if (key === undefined || isIdempotencyKey(key)) return [];
  const message = `must have 1 to ${LIMITS.idempotencyKeyLength} printable ASCII characters`;
  return one('X-Service-Idempotency-Key', 'invalid_value', message);
}

function trackProblems(track: string | undefined): RefusalDetail[] {
  if (track === undefined || TRACK.includes(track.toLowerCase())) return [];
  return one('X-Service-Track', 'invalid_value', `must be one of ${TRACK.join(', ')}`);
}

/** A link of ours to unsubscribe at, where the message has none. */
function unsubscribeProblems({ listUnsubscribe, hasListUnsubscribe }: RelayedMessage): RefusalDetail[] {
  const field = 'X-Service-List-Unsubscribe';
  if (listUnsubscribe === undefined) return [];
  if (listUnsubscribe.toLowerCase() !== 'one-click') return one(field, 'invalid_value', 'must be one-click');
  return hasListUnsubscribe ? one(field, 'conflict', 'must not be given together with List-Unsubscribe') : [];
}

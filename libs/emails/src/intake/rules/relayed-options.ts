import { LIMITS, Refusal, type RefusalDetail } from '#libs/contracts';
import type { RelayedMessage } from '#libs/mime';
import { isIdempotencyKey, releaseTime, scheduledAtRule, tagsRule } from './submission-rules.js';
import { PRIORITIES } from '../../email.resource.js';
import type { Submission } from '../submission.js';

/** The options that the control headers of a relayed message request (docs/decisions/025-smtp-submission.md). */
export interface RelayedOptions extends Pick<
  Submission,
  'tags' | 'scheduledAt' | 'unsubscribe' | 'tracking' | 'priority'
> {
  idempotencyKey: string | null;
  /** Fields without effect, as written by the client; listed in the relay's `x-ignored-fields`. */
  ignored: string[];
}

const TRACK: Record<string, NonNullable<Submission['tracking']>> = {
  off: { opens: false, clicks: false },
  opens: { opens: true, clicks: false },
  clicks: { opens: false, clicks: true },
  'opens, clicks': { opens: true, clicks: true },
};
/** Of a field name in a reply; a reply line has at most 512 octets (RFC 5321 §4.5.3.1.5). */
const MAX_NAME_CHARACTERS = 80;

/**
 * Checks the control headers by the rules of the API fields, except that a time may be in the past.
 * @throws Refusal `validation_error` (554 5.6.0) with every invalid field and its allowed values.
 */
export function relayedOptions(relayed: RelayedMessage): RelayedOptions {
  const { tags, scheduledAt, idempotencyKey, track, priority, listUnsubscribe, unknownControls } = relayed;
  const problems = [
    ...tagsRule(tags).map(({ path, ...problemAt }) => ({
      ...problemAt,
      field: `X-Service-Tag${path.replace('.', '-')}`.slice(0, MAX_NAME_CHARACTERS),
    })),
    ...scheduleProblems(scheduledAt),
    ...idempotencyProblems(idempotencyKey),
    ...trackProblems(track),
    ...priorityProblems(priority),
    ...unsubscribeProblems(relayed),
  ];
  if (problems.length > 0) throw new Refusal('validation_error', problems, 'A control header is invalid.');
  return {
    tags,
    scheduledAt: releaseTime(scheduledAt),
    idempotencyKey: idempotencyKey ?? null,
    unsubscribe: listUnsubscribe === undefined ? undefined : {},
    tracking: track === undefined ? undefined : trackingOf(track),
    priority: priorityOf(priority),
    ignored: unknownControls,
  };
}

const problem = (field: string, code: string, message: string): RefusalDetail[] => [{ field, code, message }];
/** Undefined for a value that is not one of `TRACK`; the space after the comma may be missing. */
function trackingOf(track: string): Submission['tracking'] {
  const value = track.toLowerCase().replace(',', ', ').replace(/ +/g, ' ');
  return Object.hasOwn(TRACK, value) ? TRACK[value] : undefined;
}

/** A message may have waited for hours in a client's queue, or be a repetition: a time in the past means now. */
function scheduleProblems(scheduledAt: string | undefined): RefusalDetail[] {
  if (scheduledAt === undefined) return [];
  const problems = scheduledAtRule(scheduledAt).filter(({ code }) => code !== 'in_the_past');
  return problems.flatMap(({ code, message }) => problem('X-Service-Scheduled-At', code, message));
}

function idempotencyProblems(key: string | undefined): RefusalDetail[] {
  if (key === undefined || isIdempotencyKey(key)) return [];
  const message = `must have 1 to ${LIMITS.idempotencyKeyLength} printable ASCII characters`;
  return problem('X-Service-Idempotency-Key', 'invalid_value', message);
}

function trackProblems(track: string | undefined): RefusalDetail[] {
  if (track === undefined || trackingOf(track) !== undefined) return [];
  return problem('X-Service-Track', 'invalid_value', 'must be opens, clicks, "opens, clicks" or off');
}

const priorityOf = (given: string | undefined): Submission['priority'] =>
  PRIORITIES.find((priority) => priority === given?.toLowerCase());

function priorityProblems(given: string | undefined): RefusalDetail[] {
  if (given === undefined || priorityOf(given) !== undefined) return [];
  return problem('X-Service-Priority', 'invalid_value', `must be ${PRIORITIES.join(' or ')}`);
}

/** Requests an unsubscribe link provided by the service, for a message that has none. */
function unsubscribeProblems({ listUnsubscribe, hasListUnsubscribe }: RelayedMessage): RefusalDetail[] {
  const field = 'X-Service-List-Unsubscribe';
  if (listUnsubscribe === undefined) return [];
  if (listUnsubscribe.toLowerCase() !== 'one-click') return problem(field, 'invalid_value', 'must be one-click');
  return hasListUnsubscribe ? problem(field, 'conflict', 'must not be given together with List-Unsubscribe') : [];
}

import type { Mode, RefusalDetail } from '#libs/contracts';
import { hasHttpsUri } from '#libs/mime';

interface FieldsThatConflict {
  html?: unknown;
  text?: unknown;
  headers?: Record<string, string>;
  reply_to?: unknown;
  list_unsubscribe?: unknown;
  sandbox?: boolean;
  sandbox_result?: string;
}

/** Problems between the fields of a submission that are valid on their own. */
export function conflictProblems(fields: FieldsThatConflict, mode: Mode): RefusalDetail[] {
  return [
    ...missingContent(fields),
    ...repeatedHeaders(fields),
    ...missingPartner(fields),
    ...sandboxProblems(fields, mode),
  ];
}

/** Clients of Resend write null for a body that is absent, so the rule of the field does not see it. */
function missingContent({ html, text }: FieldsThatConflict): RefusalDetail[] {
  if (html !== undefined || text !== undefined) return [];
  return [{ field: 'html', code: 'required', message: 'is required when text is not given' }];
}

/** A body field that becomes a header field cannot be given again under `headers`. */
function repeatedHeaders({ headers = {}, reply_to, list_unsubscribe }: FieldsThatConflict): RefusalDetail[] {
  const taken = new Map<string, string>();
  if (reply_to !== undefined) taken.set('reply-to', 'reply_to');
  if (list_unsubscribe !== undefined)
    taken.set('list-unsubscribe', 'list_unsubscribe').set('list-unsubscribe-post', 'list_unsubscribe');
  return Object.keys(headers).flatMap((name) => {
    const field = taken.get(name.toLowerCase());
    return field === undefined
      ? []
      : [{ field: `headers.${name}`, code: 'duplicate', message: `must not be set together with ${field}` }];
  });
}

/** RFC 8058 §3.1: the field refers to an https URI in List-Unsubscribe. */
function missingPartner({ headers = {}, list_unsubscribe }: FieldsThatConflict): RefusalDetail[] {
  const named = (wanted: string) => Object.keys(headers).find((name) => name.toLowerCase() === wanted);
  const post = named('list-unsubscribe-post');
  if (post === undefined || list_unsubscribe !== undefined) return [];
  const partner = named('list-unsubscribe');
  if (partner !== undefined && hasHttpsUri(headers[partner])) return [];
  const message = 'must be set together with a List-Unsubscribe that has an https URI';
  return [{ field: `headers.${post}`, code: 'missing_partner', message }];
}

function sandboxProblems({ sandbox, sandbox_result }: FieldsThatConflict, mode: Mode): RefusalDetail[] {
  if (sandbox_result === undefined || sandbox === true || mode === 'test') return [];
  return [
    { field: 'sandbox_result', code: 'needs_sandbox', message: 'may only be given with a test key or sandbox: true' },
  ];
}

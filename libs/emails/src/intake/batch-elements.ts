import { Refusal } from '#libs/contracts';
import type { Draft } from './accept-draft.js';
import type { BatchElement } from './submission.js';

/** The answer to a batch in the order of submission: the id of what was written, the refusal of everything else. */
export function batchElements(drafts: readonly (Draft | Refusal)[], written: ReadonlySet<string>): BatchElement[] {
  return drafts.map((draft) => {
    if (draft instanceof Refusal) return refused(draft);
    return written.has(draft.mail.id) ? { id: draft.mail.id } : refused(new Refusal('monthly_quota_exceeded'));
  });
}

function refused(refusal: Refusal): BatchElement {
  const { error, name, status } = refusal.row;
  return { refused: { error, name, status, message: refusal.message, field: refusal.details[0]?.field ?? null } };
}

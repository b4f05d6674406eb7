type Listener = () => void;

let isAnnounced = false;
const listeners = new Set<Listener>();

/** Error codes for a document that the server does not have. */
const REFUSALS = new Set(['unknown_document', 'not_persisted']);

/** Whether the server refused an operation because this page is from another version. */
export const isOfOtherVersion = (details: unknown): boolean =>
  Array.isArray(details) && details.some((one) => REFUSALS.has((one as { code?: string } | null)?.code ?? ''));

/** Announces, once per page load, that the server and the page have different versions. */
export function announceUpgrade(): void {
  if (isAnnounced) return;
  isAnnounced = true;
  for (const listener of listeners) listener();
}

/** Calls back when the upgrade is announced, or at once if it was. */
export function onUpgrade(listener: Listener): () => void {
  listeners.add(listener);
  if (isAnnounced) listener();
  return () => listeners.delete(listener);
}

import { PROVIDER_LABELS } from '../generated/constants.ts';

/** A mailbox provider, by its id or by one of its queues: `Microsoft`. Other names, such as domains, stay as they are. */
export const providerLabel = (name: string): string =>
  Object.hasOwn(PROVIDER_LABELS, name) ? PROVIDER_LABELS[name] : name.replace(/^domain:/, '');

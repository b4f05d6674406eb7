import { parseMailbox, type Mailbox } from '#libs/mime';

/** Stored as `Name <address>` from a mailbox that was parsed at the door; the name is the part before the last `<`. */
export function storedMailbox(stored: string): Mailbox {
  const open = stored.lastIndexOf('<');
  if (open > 0 && stored.endsWith('>'))
    return { name: stored.slice(0, open).trim(), address: stored.slice(open + 1, -1) };
  const parsed = parseMailbox(stored);
  if ('problem' in parsed) throw new Error('a stored mailbox does not read');
  return parsed;
}

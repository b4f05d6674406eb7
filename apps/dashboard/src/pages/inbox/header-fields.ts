interface HeaderField {
  name: string;
  value: string;
  /** What receiving servers make of it. */
  meaning?: string | undefined;
}

const MEANINGS: Record<string, string> = {
  'authentication-results': 'The results of SPF, DKIM and DMARC at the server that added it.',
  'dkim-signature': 'Proves that the domain after d= is responsible for the message and that nobody changed it.',
  'feedback-id': 'Groups complaints in the reports of large providers.',
  from: 'DMARC compares the domain of this address with those of DKIM and the return path.',
  'list-unsubscribe': 'Large providers require it for bulk mail, and show their own unsubscribe button for it.',
  'list-unsubscribe-post': 'One click is enough to unsubscribe (RFC 8058).',
  'message-id': 'Must be unique; messages without one look like spam.',
  'mime-version': 'Required for HTML and attachments.',
  'return-path': 'Bounces go to this address; SPF is checked for its domain.',
  date: 'Messages without a date, or with one far from now, look like spam.',
};

/** The header fields of a message, unfolded (RFC 5322 section 2.2.3). */
export function headerFields(source: string): HeaderField[] {
  const end = source.search(/\r?\n\r?\n/);
  const head = (end < 0 ? source : source.slice(0, end)).replaceAll(/\r?\n(?=[ \t])/g, '');
  return head.split(/\r?\n/).map((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    return { name, value: line.slice(colon + 1).trim(), meaning: MEANINGS[name.toLowerCase()] };
  });
}

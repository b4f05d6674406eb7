export interface HeaderField {
  name: string;
  value: string;
  /** Effect on receiving servers. */
  meaning?: string | undefined;
}

const MEANINGS: Record<string, string> = {
  'auto-submitted': 'Says that a program wrote the message, so that automatic replies are suppressed (RFC 3834).',
  'authentication-results': 'The results of SPF, DKIM and DMARC at the server that added it.',
  'dkim-signature': 'Proves that the domain after d= is responsible for the message and that nobody changed it.',
  'feedback-id': 'Groups complaints in the reports of large providers.',
  from: 'DMARC compares the domain of this address with those of DKIM and the return path.',
  'in-reply-to': 'Mail programs show the message in the conversation of the one it replies to.',
  'list-unsubscribe': 'Large providers require it for bulk mail, and show their own unsubscribe button for it.',
  'list-unsubscribe-post': 'One click is enough to unsubscribe (RFC 8058).',
  'message-id': 'Must be unique; messages without one look like spam.',
  'mime-version': 'Required for HTML and attachments.',
  precedence: '`bulk` prevents automatic replies.',
  received: 'One server on the way; the newest is first.',
  'reply-to': 'Replies go here instead of to the sender.',
  'return-path': 'Bounces go to this address; SPF is checked for its domain.',
  sender: 'The actual sender, on behalf of the addresses in From.',
  date: 'Messages without a date, or with one far from now, look like spam.',
};

/** The header fields of a message, unfolded (RFC 5322 section 2.2.3). */
export function headerFields(source: string): HeaderField[] {
  const end = source.search(/\r?\n\r?\n/);
  const head = (end < 0 ? source : source.slice(0, end)).replaceAll(/\r?\n(?=[ \t])/g, '');
  return head
    .split(/\r?\n/)
    .map((line) => [line, line.indexOf(':')] as const)
    .filter(([, colon]) => colon > 0)
    .map(([line, colon]) => {
      const name = line.slice(0, colon);
      return { name, value: decodedWords(line.slice(colon + 1).trim()), meaning: MEANINGS[name.toLowerCase()] };
    });
}

const ENCODED_WORD = /=\?([\w-]{1,40})\?([bq])\?([^?\s]{0,998})\?=(?:[ \t]+(?==\?))?/gi;

/** Encoded words as the text that mail programs show (RFC 2047). */
function decodedWords(value: string): string {
  return value.replaceAll(ENCODED_WORD, (word: string, charset: string, encoding: string, text: string) => {
    try {
      const bytes = encoding.toLowerCase() === 'b' ? atob(text) : fromQ(text);
      return new TextDecoder(charset).decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    } catch {
      return word;
    }
  });
}

const fromQ = (text: string): string =>
  text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const MOST = 100;
/** Controls, formats such as those of the direction, and line ends. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Characters that make a link of the text around them if a visible one follows; U+3002 is a dot in domain names (RFC 3490). */
const LINK_MARKS = /[.:/\\@\u3002](?=[^\s])/gu;
const BLANKS = / {2,}/g;

/**
 * A name that a stranger chose, for the text of a message of the service: on one line, and without anything that a mail
 * program shows as a link. The message comes from a domain that the recipient trusts.
 */
export const nameInMail = (name: string): string =>
  name
    .slice(0, 2 * MOST)
    .normalize('NFKC')
    .replace(INVISIBLE, ' ')
    .replace(LINK_MARKS, ' ')
    .replace(BLANKS, ' ')
    .trim()
    .slice(0, MOST);

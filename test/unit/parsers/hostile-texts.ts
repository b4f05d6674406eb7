/** The length of each text: more than any limit of a header, a line or a field, and enough for quadratic time to hang. */
const LENGTH = 64 * 1024;

const SINGLE = [
  ...[' ', '\t', '\r', '\n', '\r\n', '\0', '\u00a0'],
  ...['"', "'", '\\', '<', '>', '(', ')', '[', ']', '{', '}'],
  ...['@', ',', ';', ':', '.', '-', '=', '%', '&', '/', '*', '_'],
  ...['a', '0', 'ÿ', '。', '\u0301', '\u0301\u0323', '\ud800'],
];
/** Beginnings of tokens, each of which a careless parser searches for its end. */
const COMBINED = [
  ...['=?', '=?utf-8?q?', '=?utf-8?q?a?=', '=?utf-8?b?YQ==?= ', "utf-8''", '=41', '=\r\n', '%41', '%{', '%{d1r.}'],
  ...['"a" <', '<a@', 'a@', 'a@b.example, ', '(\\', '\\"', '() ', '(a', '[a', '"a', "'a", '<a>'],
  ...['; =', ';a=', ';a*0=', '; a="', ',,;', ': ', ' :', ' /', '/ ', 'a/', 'a;', 'a '],
  ...['\r\n ', '\n\t', '\r\r\n', '\n\n', 'a:\r\n', '--', '\r\n--', '-- ', '.\r\n', '> '],
  ...['a.', 'a-', '0.', '1:', '5.1.1 ', '550 ', '550-', '250-a\r\n', 'in 5 ', 'retry '],
  ...['<a ', '<a href=', 'href ', '<!--', '</', '&#1', '&amp;', '<style>'],
  ...['{"a":', '[[', '{a', '$a:', '...a ', '@a(', 'a=b&', 'include:', 'ip4:1/', 'mx: ', '//', '../'],
];

const repeated = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);

/**
 * Texts of one repeated piece, behind a letter and with another end, which an expression meets only after it has read the
 * whole run; of single characters also the run alone.
 */
export const HOSTILE_TEXTS: readonly [name: string, text: string][] = [
  ...SINGLE.map((piece) => [JSON.stringify(piece), repeated(piece)] as [string, string]),
  ...[...SINGLE, ...COMBINED].map(
    (piece) => [`${JSON.stringify(piece)} between "a" and "a\\0"`, `a${repeated(piece)}a\0`] as [string, string],
  ),
];

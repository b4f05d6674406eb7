/** Gives a text to a parser. Errors that the parser throws for invalid input count as a return. */
export type Parser = (text: string) => unknown;

/** The parsers of a source file by the name of their export; several if an export reads text in several places. */
export type ParserTable = Readonly<Record<string, Readonly<Record<string, Parser | readonly Parser[]>>>>;

/** Parsers that yield to the event loop. */
export type YieldingParserTable = Readonly<
  Record<string, Readonly<Record<string, (text: string) => Promise<unknown>>>>
>;

/** Octets of the header of a message or part that are read. Texts are cut to fit into it. */
const HEAD_OCTETS = 60_000;

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
export const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

/** Gives the parser the text as octets, one for each character. */
export const octets =
  (parse: (message: Buffer) => unknown): Parser =>
  (text) =>
    parse(latin1(text));

/** Gives the parser a message with the text in each place of `§`. In a header, only as much as is read. */
export const within = (frame: string, parse: (message: Buffer) => unknown): Parser => {
  const message = frame.replaceAll('\n', '\r\n');
  const isInHead = message.lastIndexOf('§') < message.lastIndexOf('\r\n\r\n');
  return (text) => parse(latin1(message.replaceAll('§', () => (isInHead ? text.slice(0, HEAD_OCTETS) : text))));
};

/** Gives the parser as much of the text as the limit of a header passes on. */
export const ofHeader =
  (parse: Parser): Parser =>
  (text) =>
    parse(text.slice(0, HEAD_OCTETS));

/** Gives the parser the text as one value, in a list and as the value of a member. */
export const anyShape =
  (parse: (value: unknown) => unknown): Parser =>
  (text) =>
    [text, [text], { a: text }, { [text]: 'a' }].map((value) => parse(value));

import { Lexer, Source, TokenKind } from 'graphql';

const OPENING = new Set<string>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING = new Set<string>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Whether braces, brackets and parentheses of a document are nested deeper than `most`. The parser and the rules call
 * themselves for each level, so the stack would overflow. Text that is no GraphQL is left to the parser.
 * @param maxTokens the parser refuses more
 */
export function isNestedDeeper(query: string, most: number, maxTokens: number): boolean {
  const lexer = new Lexer(new Source(query));
  let depth = 0;
  try {
    for (let tokens = 0; tokens <= maxTokens; tokens += 1) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) return false;
      if (OPENING.has(kind)) depth += 1;
      else if (CLOSING.has(kind)) depth -= 1;
      if (depth > most) return true;
    }
    return false;
  } catch {
    return false;
  }
}

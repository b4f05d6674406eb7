/** The first and the last `each` characters of a longer text, a blank between them. */
export function bothEnds(text: string, each: number): string {
  return text.length <= 2 * each ? text : `${text.slice(0, each)} ${text.slice(-each)}`;
}

/**
 * A problem of a field. `path` is the position inside the field (`''`, `[3]`, `.key`); `message` continues a sentence
 * that begins with the field's name.
 */
export interface RuleProblem {
  path: string;
  code: string;
  message: string;
}

/** Checks an untrusted value, without side effects. An empty list means that the value is valid. */
export type Rule = (value: unknown) => RuleProblem[];

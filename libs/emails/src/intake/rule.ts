/** One problem of a field: `path` says where inside it (`''`, `[3]`, `.key`), `message` follows the field's name. */
export interface RuleProblem {
  path: string;
  code: string;
  message: string;
}

/** A pure judgement of an untrusted value; an empty list means that it may be used. */
export type Rule = (value: unknown) => RuleProblem[];

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

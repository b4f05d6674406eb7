import { Refusal, type RefusalCode, type RefusalDetail } from '#libs/contracts';

const MAX_IN_SENTENCE = 3;

/** The refusal of a request with these problems. */
export function invalidFields(problems: RefusalDetail[]): Refusal {
  return new Refusal(codeOf(problems), problems, sentenceOf(problems));
}

/** The refusal of one query parameter or header. */
export function invalidParameter(field: string, message: string, kind = 'parameter'): Refusal {
  const detail = { field, code: 'invalid_parameter', message };
  return new Refusal('invalid_parameter', [detail], `The ${kind} ${field} ${message}.`);
}

/** @throws Refusal when both of two alternative fields are given */
export function requireOnlyOne(given: Record<string, unknown>): void {
  const [first, second] = Object.keys(given).filter((name) => given[name] !== undefined);
  if (second === undefined) return;
  throw invalidFields([{ field: second, code: 'exclusive', message: `must not be given together with ${first}` }]);
}

function codeOf(problems: RefusalDetail[]): RefusalCode {
  if (problems.some((problem) => problem.code === 'required')) return 'missing_required_field';
  return problems.every((problem) => problem.code === 'invalid_base64') ? 'bad_attachment' : 'validation_error';
}

function sentenceOf(problems: RefusalDetail[]): string {
  const named = problems.slice(0, MAX_IN_SENTENCE).map(({ field, message }) => `${field || 'The body'} ${message}`);
  const more = problems.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

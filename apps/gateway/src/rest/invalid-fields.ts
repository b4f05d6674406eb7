import { Refusal, type RefusalCode, type RefusalDetail } from '#libs/contracts';

const NAMED_IN_SENTENCE = 3;

/** The refusal of a request whose fields have these problems: its code by details §3, its sentence for people. */
export function invalidFields(problems: RefusalDetail[]): Refusal {
  return new Refusal(codeOf(problems), problems, sentenceOf(problems));
}

function codeOf(problems: RefusalDetail[]): RefusalCode {
  if (problems.some((problem) => problem.code === 'required')) return 'missing_required_field';
  return problems.every((problem) => problem.code === 'invalid_base64') ? 'bad_attachment' : 'validation_error';
}

function sentenceOf(problems: RefusalDetail[]): string {
  const named = problems.slice(0, NAMED_IN_SENTENCE).map(({ field, message }) => `${field || 'The body'} ${message}`);
  const more = problems.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

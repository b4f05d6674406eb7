import type { FieldProblem } from '../api/problem.ts';

type Validity = Pick<ValidityState, 'valueMissing' | 'typeMismatch' | 'tooShort' | 'tooLong' | 'badInput' | 'valid'>;

/** The inputs of a form that do not keep their own constraints, in the words of the service instead of the browser's. */
export function invalidFields(form: HTMLFormElement): FieldProblem[] {
  return [...form.elements].flatMap((element) => {
    const { validity, dataset, value } = element as HTMLInputElement;
    const name = dataset['field'];
    if (name === undefined || validity.valid) return [];
    return [{ name, index: null, message: ruleOf(element as HTMLInputElement, value), isSentence: false }];
  });
}

/** `tooShort` holds for typed values only; a value that a page has set is checked by the server. */
function ruleOf({ validity, minLength, maxLength, type }: Constraints, value: string): string {
  if (validity.valueMissing || value === '') return 'is required';
  if (validity.tooShort) return `must have at least ${minLength} characters`;
  if (validity.tooLong) return `must have at most ${maxLength} characters`;
  if (type === 'email') return 'must be an address such as ada@example.com';
  return 'is not valid';
}

interface Constraints {
  validity: Validity;
  minLength: number;
  maxLength: number;
  type: string;
}

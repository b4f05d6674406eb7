/** A sentence about the shaping file: the place in it, and what is allowed there. */
export class ShapingFileError extends Error {}

type Shape<T> = (place: FilePlace) => T;

/** One value of a JSON file and the path that leads to it. Every reader throws ShapingFileError for what is not allowed. */
export class FilePlace {
  constructor(
    private readonly path: string,
    private readonly value: unknown,
  ) {}

  /** The members of an object whose names are all among `allowed`; absent ones are left out. */
  members<K extends string>(allowed: readonly K[]): Partial<Record<K, FilePlace>> {
    const found: Partial<Record<K, FilePlace>> = {};
    for (const [name, place] of this.entries()) {
      const known = allowed.find((candidate) => candidate === name);
      if (known === undefined) throw place.problem(`is not known here; allowed are ${allowed.join(', ')}`);
      found[known] = place;
    }
    return found;
  }

  /** Names and values of an object. */
  entries(): [name: string, place: FilePlace][] {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.refused('must be an object in braces');
    return Object.entries(value).map(([name, member]) => [name, this.member(name, member)]);
  }

  list<T>(shape: Shape<T>): T[] {
    if (!Array.isArray(this.value)) throw this.refused('must be a list in brackets');
    return this.value.map((item, i) => shape(new FilePlace(`${this.path}[${i}]`, item)));
  }

  /** One value, or a list of at least one. */
  oneOrMore<T>(shape: Shape<T>): T[] {
    if (!Array.isArray(this.value)) return [shape(this)];
    if (this.value.length === 0) throw this.refused('must not be empty');
    return this.list(shape);
  }

  number(min: number, max: number): number {
    const { value } = this;
    if (typeof value !== 'number' || !(value >= min && value <= max))
      throw this.refused(`must be a number from ${min} to ${max}`);
    return value;
  }

  whole(min: number, max: number): number {
    if (!Number.isInteger(this.value) || Number(this.value) < min || Number(this.value) > max)
      throw this.refused(`must be a whole number from ${min} to ${max}`);
    return Number(this.value);
  }

  /** Text that `pattern` matches as a whole; `what` completes "must be". */
  text(pattern: RegExp, what: string): string {
    if (typeof this.value !== 'string' || !pattern.test(this.value)) throw this.refused(`must be ${what}`);
    return this.value;
  }

  oneOf<const T extends string>(...allowed: readonly T[]): T {
    const found = allowed.find((candidate) => candidate === this.value);
    if (found === undefined) throw this.refused(`must be one of ${allowed.join(', ')}`);
    return found;
  }

  /** A refusal of this value, in the form "place sentence". */
  problem(sentence: string): ShapingFileError {
    return new ShapingFileError(`${this.path === '' ? 'the file' : this.path} ${sentence}`);
  }

  refused(sentence: string): ShapingFileError {
    const shown = JSON.stringify(this.value) ?? 'nothing';
    return this.problem(`${sentence}; it is ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`);
  }

  private member(name: string, value: unknown): FilePlace {
    const plain = /^[\w-]+$/.test(name);
    const dot = this.path === '' ? '' : '.';
    return new FilePlace(plain ? `${this.path}${dot}${name}` : `${this.path}[${JSON.stringify(name)}]`, value);
  }
}

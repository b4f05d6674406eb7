import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A sentence that begins with the place in the file and names the allowed values. */
export class JsonFileError extends Error {}

type Shape<T> = (reader: JsonReader) => T;

/** One value of a JSON file and its path. Every method throws JsonFileError for a value that is not allowed. */
export class JsonReader {
  constructor(
    private readonly path: string,
    private readonly value: unknown,
  ) {}

  /** The members of an object, all of whose names must be among `allowed`. Absent members are left out. */
  members<K extends string>(allowed: readonly K[]): Partial<Record<K, JsonReader>> {
    const found: Partial<Record<K, JsonReader>> = {};
    for (const [name, reader] of this.entries()) {
      const known = allowed.find((candidate) => candidate === name);
      if (known === undefined) throw reader.problem(`is not known here; allowed are ${allowed.join(', ')}`);
      found[known] = reader;
    }
    return found;
  }

  /** Names and values of an object. */
  entries(): [name: string, reader: JsonReader][] {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.invalid('must be an object in braces');
    return Object.entries(value).map(([name, member]) => [name, this.member(name, member)]);
  }

  list<T>(shape: Shape<T>): T[] {
    if (!Array.isArray(this.value)) throw this.invalid('must be a list in brackets');
    return this.value.map((item, i) => shape(new JsonReader(`${this.path}[${i}]`, item)));
  }

  /** One value, or a list of at least one. */
  oneOrMore<T>(shape: Shape<T>): T[] {
    if (!Array.isArray(this.value)) return [shape(this)];
    if (this.value.length === 0) throw this.invalid('must not be empty');
    return this.list(shape);
  }

  number(min: number, max: number): number {
    const { value } = this;
    if (typeof value !== 'number' || !(value >= min && value <= max))
      throw this.invalid(`must be a number from ${min} to ${max}`);
    return value;
  }

  integer(min: number, max: number): number {
    if (!Number.isInteger(this.value) || Number(this.value) < min || Number(this.value) > max)
      throw this.invalid(`must be a whole number from ${min} to ${max}`);
    return Number(this.value);
  }

  /** Text that `pattern` matches. @param expected Completes "must be". */
  text(pattern: RegExp, expected: string): string {
    if (typeof this.value !== 'string' || !pattern.test(this.value)) throw this.invalid(`must be ${expected}`);
    return this.value;
  }

  /** A regular expression. @param expand Is applied to its source. */
  pattern(flags: string, expand: (source: string) => string = (source) => source): RegExp {
    const source = expand(this.text(/^.{1,1000}$/s, 'a regular expression of at most 1000 characters'));
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw this.problem(`is not a regular expression: ${(error as Error).message}`);
    }
  }

  oneOf<const T extends string>(...allowed: readonly T[]): T {
    const found = allowed.find((candidate) => candidate === this.value);
    if (found === undefined) throw this.invalid(`must be one of ${allowed.join(', ')}`);
    return found;
  }

  /** An error of the form "place sentence". */
  problem(sentence: string): JsonFileError {
    return new JsonFileError(`${this.path === '' ? 'the file' : this.path} ${sentence}`);
  }

  /** An error that shows the value. */
  invalid(sentence: string): JsonFileError {
    const shown = JSON.stringify(this.value) ?? 'nothing';
    return this.problem(`${sentence}; it is ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`);
  }

  private member(name: string, value: unknown): JsonReader {
    const plain = /^[\w-]+$/.test(name);
    const dot = this.path === '' ? '' : '.';
    return new JsonReader(plain ? `${this.path}${dot}${name}` : `${this.path}[${JSON.stringify(name)}]`, value);
  }
}

export function readJsonFile(path: string): JsonReader {
  try {
    return new JsonReader('', JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new JsonFileError(code === undefined ? `the file is not JSON: ${message}` : `cannot be read: ${message}`);
  }
}

/** Reads a data file that is part of the program. Errors name it. */
export function readDataFile<T>(url: URL, shape: Shape<T>): T {
  const path = fileURLToPath(url);
  try {
    return shape(readJsonFile(path));
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw new JsonFileError(`${basename(path)}: ${error.message}`, { cause: error });
  }
}

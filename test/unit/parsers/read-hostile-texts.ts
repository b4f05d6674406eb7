import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../support/timing/must-return.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';
import type { Parser, ParserTable, YieldingParserTable } from './parser-table.js';

/** Texts that are read under one guard. */
const AT_ONCE = 4;
/** Linear time is some milliseconds for all of them; quadratic time is 2e9 steps for one. */
const HANG_MS = 2_500;

/** A parser that reads text in several places reads each text in some of them. */
function textsFor(place: number, places: number): typeof HOSTILE_TEXTS {
  const step = places === 1 ? 1 : places <= 3 ? 2 : 3;
  return HOSTILE_TEXTS.filter((_, i) => (i + place) % step === 0);
}

/** Defines a test for each parser of the table: it returns for every text. */
export function readHostileTexts(table: ParserTable): void {
  const cases = Object.entries(table).flatMap(([file, exports]) =>
    Object.entries(exports).map(([name, parsers]) => [name, file, [parsers].flat()] as [string, string, Parser[]]),
  );
  describe('64 kB of one repeated piece of text', () => {
    it.each(cases)('is read by %s of %s', (_name, _file, parsers) => {
      expect(parsers.flatMap((parse, place) => readAll(parse, textsFor(place, parsers.length)))).toEqual([]);
    });
  });
}

/** The same for parsers that yield to the event loop: the time limit of the test ends those that are slow. */
export function readHostileTextsYielding(table: YieldingParserTable): void {
  const cases = Object.entries(table).flatMap(([file, exports]) =>
    Object.entries(exports).map(([name, parse]) => [name, file, parse] as const),
  );
  describe('64 kB of one repeated piece of text', () => {
    it.each(cases)('is read by %s of %s, which yields', async (_name, _file, parse) => {
      const texts = textsFor(0, 2);
      let returned = 0;
      for (const [, text] of texts) {
        await parse(text).catch(() => null);
        returned += 1;
      }
      expect(returned).toBe(texts.length);
    });
  });
}

/** The first texts for which the parser does not return; empty if there is none. */
function readAll(parse: Parser, texts: typeof HOSTILE_TEXTS): string[] {
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    const some = texts.slice(at, at + AT_ONCE);
    // On a busy machine several texts may take longer than the guard allows; one text does not.
    if (problemOf(parse, some) === null) continue;
    const problems = some.map((text) => problemOf(parse, [text])).filter((problem) => problem !== null);
    if (problems.length > 0) return problems;
  }
  return [];
}

function problemOf(parse: Parser, texts: typeof HOSTILE_TEXTS): string | null {
  let given = '';
  const read = () => {
    for (const [name, text] of texts) {
      given = name;
      tryParse(parse, text);
    }
  };
  try {
    mustReturn(read, HANG_MS);
    return null;
  } catch (error) {
    return `${given}: ${(error as Error).message}`;
  }
}

/** An error for invalid input is a return. A stack or memory that ran out is not: a parser must not recurse by its input. */
function tryParse(parse: Parser, text: string): void {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
}

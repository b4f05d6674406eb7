import { expect } from 'vitest';
import type { Profile } from '../../support/browser/chromium.js';
import { until } from '../../support/timing/until.js';

/** Words that a page must say, or an element that it must show. */
type Said = string | RegExp | { shows: string; words?: string | RegExp };

interface Expected {
  /** The fact, as the script that made it knows it. */
  truth: string;
  /** The statement of the page about it. */
  says?: Said[];
  /** Words that would contradict it. */
  never?: (string | RegExp)[];
  /** Milliseconds; pages that ask every half minute need more than one interval. */
  withinMs?: number;
}

interface Row {
  trouble: string;
  page: string;
  said: string;
  truth: string;
  holds: boolean;
}

const WITHIN_MS = 15_000;
const CELL = 110;
/** Of a page that does not say what is expected. */
const SHOWN_LINES = 20;

/** Compares what pages say with the truth, and writes down both. */
export class Statements {
  readonly rows: Row[] = [];
  private trouble = '';

  constructor(private readonly reader: Profile) {}

  about(trouble: string): void {
    this.trouble = trouble;
  }

  /** Opens a page by its link in the navigation, and reads it. */
  async onPage(label: string, ...expected: Expected[]): Promise<void> {
    const link = this.reader.page.getByRole('navigation').getByRole('link', { name: label, exact: true });
    await link.click();
    await this.reader.page.getByRole('heading', { level: 1, name: label }).waitFor();
    for (const one of expected) await this.compare(label, one);
  }

  /** Opens an address, and reads the page. */
  async at(page: string, path: string, ...expected: Expected[]): Promise<void> {
    await this.reader.open(path);
    for (const one of expected) await this.compare(page, one);
  }

  /** The page that is open. */
  async compare(page: string, { truth, says = [], never = [], withinMs = WITHIN_MS }: Expected): Promise<void> {
    for (const said of says) {
      const found = await until(() => this.find(said), { withinMs }).catch(() => null);
      const instead =
        found ?? `nothing like ${wordsOf(said)}, but ${(await this.lines()).slice(0, SHOWN_LINES).join(' / ')}`;
      this.note(page, { said: instead, truth, holds: found !== null });
    }
    if (never.length === 0) return;
    const lines = await this.lines();
    const wrong = never.map((words) => lines.find((line) => matches(line, words))).find((line) => line !== undefined);
    if (says.length > 0 && wrong === undefined) return;
    this.note(page, { said: wrong ?? `not: ${never.map(String).join(', ')}`, truth, holds: wrong === undefined });
  }

  print(): void {
    const cells = (row: Row) => [row.trouble, row.page, row.said, row.truth, row.holds ? 'holds' : 'CONTRADICTION'];
    const table = [['trouble', 'page', 'said', 'truth', ''], ...this.rows.map(cells)];
    const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column].length)));
    for (const row of table) console.log(row.map((cell, i) => cell.padEnd(widths[i])).join(' | '));
    const pages = new Set(this.rows.map(({ page }) => page));
    const wrong = this.contradictions();
    console.log(`${this.rows.length} statements on ${pages.size} pages, ${wrong.length} contradictions`);
  }

  contradictions(): Row[] {
    return this.rows.filter(({ holds }) => !holds);
  }

  private note(page: string, { said, truth, holds }: Pick<Row, 'said' | 'truth' | 'holds'>): void {
    expect(this.trouble).not.toBe('');
    const row = { trouble: this.trouble, page, said: said.slice(0, CELL), truth, holds };
    this.rows.push(row);
    if (!holds) console.log('contradiction', { ...row, said });
  }

  private async find(said: Said): Promise<string | null> {
    if (typeof said === 'string' || said instanceof RegExp)
      return (await this.lines()).find((line) => matches(line, said)) ?? null;
    const { shows, words = '' } = said;
    for (const element of await this.reader.page.locator(shows).all()) {
      const text = oneLine(await element.innerText());
      if (matches(text, words)) return `${shows}: ${text}`;
    }
    return null;
  }

  private async lines(): Promise<string[]> {
    const text = await this.reader.page.locator('main').innerText();
    return text.split('\n').map(oneLine).filter(Boolean);
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const matches = (line: string, words: string | RegExp): boolean =>
  typeof words === 'string' ? line.includes(words) : words.test(line);

const wordsOf = (said: Said): string =>
  typeof said === 'string' || said instanceof RegExp ? String(said) : `${said.shows} ${String(said.words ?? '')}`;

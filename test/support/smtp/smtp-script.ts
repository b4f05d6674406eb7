import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the connection is when a dialogue begins. */
export type TlsMode = 'plain' | 'starttls' | 'implicit';

/** One step of a dialogue, as its line says it. */
export type Step =
  | { does: 'send'; text: string; lineEnd: boolean }
  /** `codeless`: the answer to EHLO or HELO, which has no enhanced code (RFC 2034 §3). */
  | { does: 'expect'; lines: string[]; codeless: boolean; postfix: string[] | null }
  | { does: 'offers'; keywords: string; postfix: string | null }
  | { does: 'segment'; bytewise: boolean; steps: Step[] }
  | { does: 'closed' | 'silence' | 'starttls' | 'ehlo' | 'mail' | 'rcpt' | 'data' | 'again' }
  | { does: 'login'; who: string }
  | { does: 'pause'; ms: number }
  | { does: 'act'; action: string };

export interface Dialogue {
  file: string;
  title: string;
  modes: TlsMode[];
  /** Why Postfix is not asked the same; null: it is. */
  notPostfix: string | null;
  /** Where Postfix answers otherwise: its own reply and why. */
  differences: { ours: string; theirs: string; reason: string }[];
  steps: Step[];
}

/** All dialogues of the folder, in the order of files and lines. README.md there explains the language. */
export function readDialogues(folder: string): Dialogue[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  return files.sort().flatMap((file) => new ScriptReader(file, readFileSync(join(folder, file), 'utf8')).read());
}

/** The rows of the two tables of README.md: where Postfix answers otherwise, and what it is not asked. */
export function differences(dialogues: readonly Dialogue[]): string[] {
  const answered = dialogues.flatMap((dialogue) =>
    dialogue.differences.map(({ ours, theirs, reason }) => row(dialogue.title, ours, theirs, reason)),
  );
  const unasked = new Map<string, string[]>();
  for (const { notPostfix, title } of dialogues)
    if (notPostfix !== null) unasked.set(notPostfix, [...(unasked.get(notPostfix) ?? []), title]);
  return [...new Set(answered), ...[...unasked].map(([reason, titles]) => row(reason, titles.join('; ')))];
}

const row = (...cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/[*|<>_]/g, '\\$&')).join(' | ')} |`;

class ScriptReader {
  private readonly dialogues: Dialogue[] = [];
  private notPostfix: string | null = null;
  /** The list that the next step goes to: the dialogue's, or that of an open segment. */
  private steps: Step[] = [];

  constructor(
    private readonly file: string,
    private readonly text: string,
  ) {}

  read(): Dialogue[] {
    const lines = unroll(this.text.split('\n'));
    for (const line of lines) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      try {
        this.take(line);
      } catch (error) {
        throw new Error(`${this.file}: "${line}": ${(error as Error).message}`, { cause: error });
      }
    }
    return this.dialogues;
  }

  private take(line: string): void {
    const [, word = '', rest = ''] = /^(\S+)(?: (.*))?$/.exec(line) ?? [];
    if (Object.hasOwn(STEPS, line)) this.add(STEPS[line](''));
    else if (Object.hasOwn(STEPS, word)) this.add(STEPS[word](rest));
    else if (Object.hasOwn(this.words, word)) this.words[word](rest);
    else throw new Error('is no line of a dialogue');
  }

  /** Words that say something about the dialogue and are no steps of it. */
  private readonly words: Record<string, (rest: string) => void> = {
    '==': (title) => this.begin(title),
    'P:': (text) => this.differ(text),
    on: (modes) => (this.last().modes = modes.split(' ') as TlsMode[]),
    not: (text) => this.refusePostfix(text.replace(/^postfix: /, '')),
    '[end]': () => (this.steps = this.last().steps),
  };

  private begin(title: string): void {
    this.steps = [];
    const { file, notPostfix, steps } = this;
    this.dialogues.push({ file, title, modes: ['starttls', 'implicit'], notPostfix, differences: [], steps });
  }

  private add(step: Step): void {
    const before = this.steps.at(-1);
    const goesOn = before?.does === 'expect' && before.postfix === null && /^\d{3}-/.test(before.lines.at(-1) ?? '');
    if (step.does === 'expect' && goesOn) before.lines.push(...step.lines);
    else this.steps.push(step);
    if (step.does === 'segment') this.steps = step.steps;
  }

  private differ(text: string): void {
    const [theirs, reason] = text.split(' ; ');
    const before = this.steps.at(-1);
    if (!reason) throw new Error('says no reason');
    if (before?.does !== 'expect' && before?.does !== 'offers') throw new Error('follows no reply');
    const ours = before.does === 'expect' ? before.lines.join(' / ') : before.keywords;
    if (before.does === 'expect') before.postfix = [...(before.postfix ?? []), theirs];
    else before.postfix = theirs;
    this.last().differences.push({ ours, theirs, reason });
  }

  private refusePostfix(reason: string): void {
    if (this.dialogues.length === 0) this.notPostfix = reason;
    else this.last().notPostfix = reason;
  }

  private last(): Dialogue {
    const last = this.dialogues.at(-1);
    if (!last) throw new Error('stands before the first dialogue');
    return last;
  }
}

const STEPS: Record<string, (rest: string) => Step> = {
  'C:': (text) => ({ does: 'send', text, lineEnd: true }),
  'C>': (text) => ({ does: 'send', text, lineEnd: false }),
  'S:': (line) => expecting(line, false),
  'E:': (line) => expecting(line, true),
  'S: closed': () => ({ does: 'closed' }),
  'S: silence': () => ({ does: 'silence' }),
  'offers:': (keywords) => ({ does: 'offers', keywords, postfix: null }),
  '[one segment]': () => ({ does: 'segment', bytewise: false, steps: [] }),
  '[byte by byte]': () => ({ does: 'segment', bytewise: true, steps: [] }),
  login: (who) => ({ does: 'login', who }),
  pause: (ms) => ({ does: 'pause', ms: Number(ms) }),
  do: (action) => ({ does: 'act', action }),
  again: () => ({ does: 'again' }),
  starttls: () => ({ does: 'starttls' }),
  ehlo: () => ({ does: 'ehlo' }),
  mail: () => ({ does: 'mail' }),
  rcpt: () => ({ does: 'rcpt' }),
  data: () => ({ does: 'data' }),
};

function expecting(line: string, codeless: boolean): Step {
  return { does: 'expect', lines: [line], codeless, postfix: null };
}

/** Writes out `[12 times]` … `[again]`; `{n}` counts from 1. */
function unroll(lines: string[]): string[] {
  const start = lines.findIndex((line) => /^\[\d+ times\]$/.test(line));
  if (start < 0) return lines;
  const end = lines.indexOf('[again]', start);
  const body = lines.slice(start + 1, end);
  const turns = Array.from({ length: Number.parseInt(lines[start].slice(1), 10) }, (_, turn) =>
    body.map((line) => line.replaceAll('{n}', String(turn + 1))),
  );
  return [...lines.slice(0, start), ...turns.flat(), ...unroll(lines.slice(end + 1))];
}

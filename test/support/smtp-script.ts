import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the connection is when a dialogue begins. */
export type Door = 'plain' | 'starttls' | 'implicit';

/** One step of a dialogue, as its line says it. */
export type Step =
  | { does: 'send'; text: string; lineEnd: boolean }
  /** `codeless`: the answer to EHLO or HELO, which has no enhanced code (RFC 2034 §3). */
  | { does: 'expect'; lines: string[]; codeless: boolean; postfix: string[] | null }
  | { does: 'offers'; keywords: string; postfix: string | null }
  | { does: 'segment'; bytewise: boolean; steps: Step[] }
  | { does: 'closed' | 'silence' | 'starttls' | 'ehlo' | 'mail' | 'rcpt' | 'data' }
  | { does: 'login'; who: string }
  | { does: 'pause'; ms: number }
  | { does: 'stage'; action: string };

export interface Dialogue {
  file: string;
  title: string;
  doors: Door[];
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
        throw new Error(`${this.file}: "${line}": ${(error as Error).message}`);
      }
    }
    return this.dialogues;
  }

  private take(line: string): void {
    const [, word, rest] = /^(==|S:|E:|C:|C>|P:|\[?[a-z]+:?)(?: (.*))?$/.exec(line) ?? [];
    const step = word === undefined ? undefined : stepOf(word, rest ?? '', line);
    if (step) this.add(step);
    else if (word === '==') this.begin(rest ?? '');
    else if (word === 'P:') this.differ(rest ?? '');
    else if (word === 'on') this.last().doors = (rest ?? '').split(' ') as Door[];
    else if (word === 'not') this.refusePostfix((rest ?? '').replace(/^postfix: /, ''));
    else if (line === '[end]') this.steps = this.last().steps;
    else throw new Error('is no line of a dialogue');
  }

  private begin(title: string): void {
    this.steps = [];
    const { file, notPostfix, steps } = this;
    this.dialogues.push({ file, title, doors: ['starttls', 'implicit'], notPostfix, differences: [], steps });
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

function stepOf(word: string, rest: string, line: string): Step | undefined {
  switch (word) {
    case 'C:':
      return { does: 'send', text: rest, lineEnd: true };
    case 'C>':
      return { does: 'send', text: rest, lineEnd: false };
    case 'S:':
      return rest === 'closed' || rest === 'silence' ? { does: rest } : expecting(rest, false);
    case 'E:':
      return expecting(rest, true);
    case 'offers:':
      return { does: 'offers', keywords: rest, postfix: null };
    case 'login':
      return { does: 'login', who: rest };
    case 'pause':
      return { does: 'pause', ms: Number(rest) };
    case 'do':
      return { does: 'stage', action: rest };
    case 'starttls':
    case 'ehlo':
    case 'mail':
    case 'rcpt':
    case 'data':
      return { does: word };
    default:
      if (line !== '[one segment]' && line !== '[byte by byte]') return undefined;
      return { does: 'segment', bytewise: line === '[byte by byte]', steps: [] };
  }
}

const expecting = (line: string, codeless: boolean): Step => ({
  does: 'expect',
  lines: [line],
  codeless,
  postfix: null,
});

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

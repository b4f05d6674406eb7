import { readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Snippet {
  language: string;
  text: string;
}

const PAGES = new URL('../../../docs/', import.meta.url);
const SECTION = /^#{2,3} (.+)$/;
const FENCE = /^```(\w*)$/;

/** The fenced blocks below each heading of a page of docs/, in order. */
export function snippetsOf(page: string): Map<string, Snippet[]> {
  const sections = new Map<string, Snippet[]>();
  let current: Snippet[] = [];
  let open: { language: string; lines: string[] } | null = null;
  for (const line of readFileSync(new URL(page, PAGES), 'utf8').split('\n')) {
    const fence = FENCE.exec(line);
    if (open && fence) {
      current.push({ language: open.language, text: `${open.lines.join('\n')}\n` });
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence) open = { language: fence[1], lines: [] };
    else {
      const heading = SECTION.exec(line)?.[1];
      if (heading !== undefined) sections.set(heading, (current = []));
    }
  }
  return sections;
}

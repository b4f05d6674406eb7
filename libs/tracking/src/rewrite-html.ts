import type { StartTag } from 'parse5-sax-parser';
import { scanHtml } from './scan-html.js';

/** Elements whose `href` a reader follows. `link` and `base` load or resolve resources. */
const LINKING = new Set(['a', 'area']);
/** Elements whose content is text: markup inserted behind an unclosed one would be shown to the reader. */
const TEXT_ONLY = new Set([
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);
/** An attribute that excludes its link from click tracking. */
const NO_TRACK = 'data-no-track';

export interface HtmlRewriting {
  /** The new address of a link, or null to leave it. Called once per link with the decoded value of `href`. */
  link: ((href: string) => string | null) | null;
  /** Markup inserted before the last `</body>`, at the end of a document without one. */
  append: string | null;
}

/** A replacement of the characters from `start` to `end`. */
interface Splice {
  start: number;
  end: number;
  text: string;
}

/**
 * Replaces addresses of links in an HTML document and inserts markup at its end, unless it ends within a text; all other
 * characters stay as they are. A document with very many attributes in a tag, or namespaces in each other, is returned as it
 * is. New addresses must consist of URL characters that need no escaping in an attribute.
 */
export async function rewriteHtml(html: string, { link, append }: HtmlRewriting): Promise<string> {
  const splices: Splice[] = [];
  let bodyEnd: number | null = null;
  let openText: string | null = null;
  const isWhole = await scanHtml(html, {
    startTag: (tag) => {
      if (TEXT_ONLY.has(tag.tagName)) openText = tag.tagName;
      const splice = link === null ? null : linkSplice(html, tag, link);
      if (splice !== null) splices.push(splice);
    },
    endTag: ({ tagName, sourceCodeLocation }) => {
      if (tagName === openText) openText = null;
      if (tagName === 'body' && sourceCodeLocation) bodyEnd = sourceCodeLocation.startOffset;
    },
  });
  if (!isWhole) return html;
  const end = bodyEnd ?? (openText === null ? lastLineEnd(html) : null);
  if (append !== null && end !== null) splices.push({ start: end, end, text: append });
  return spliced(html, splices);
}

function linkSplice(html: string, tag: StartTag, link: (href: string) => string | null): Splice | null {
  if (!LINKING.has(tag.tagName) || tag.attrs.some(({ name }) => name === NO_TRACK)) return null;
  const href = tag.attrs.find(({ name, prefix }) => name === 'href' && !prefix)?.value;
  const at = (tag.sourceCodeLocation as { attrs?: Record<string, { startOffset: number; endOffset: number }> } | null)
    ?.attrs?.['href'];
  if (href === undefined || at === undefined) return null;
  const source = html.slice(at.startOffset, at.endOffset);
  const value = valueRange(source);
  if (value === null) return null;
  const text = link(href);
  return text === null ? null : { start: at.startOffset + value.from, end: at.startOffset + value.to, text };
}

/** The range of the value in the source of an attribute, without quotes; null for an attribute without a value. */
function valueRange(source: string): { from: number; to: number } | null {
  const equals = source.indexOf('=');
  if (equals === -1) return null;
  let from = equals + 1;
  while (' \t\n\f\r'.includes(source[from] ?? 'x')) from += 1;
  const quote = source[from];
  if (quote !== '"' && quote !== "'") return { from, to: source.length };
  return { from: from + 1, to: source.endsWith(quote) ? source.length - 1 : source.length };
}

/** Before the line ends at the end: a message that ended with its line ends still does. */
function lastLineEnd(html: string): number {
  let end = html.length;
  while (html[end - 1] === '\n' || html[end - 1] === '\r') end -= 1;
  return end;
}

function spliced(html: string, splices: Splice[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text } of splices.sort((a, b) => a.start - b.start)) {
    result += html.slice(at, start) + text;
    at = end;
  }
  return result + html.slice(at);
}

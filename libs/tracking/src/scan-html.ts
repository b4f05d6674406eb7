import { finished } from 'node:stream/promises';
import { yielding } from '#libs/kernel';
import { SAXParser, type Doctype, type EndTag, type StartTag, type Text } from 'parse5-sax-parser';

/** Characters parsed before yielding to the event loop: about a millisecond. */
const SLICE_CHARACTERS = 8 * 1024;
/** The parser compares each attribute of a tag with all before it, and moves the list of open namespaces for each one. */
const MAX_ATTRIBUTES = 1_000;
const MAX_NAMESPACES = 200;
const NAMESPACES = new Set(['svg', 'math']);

export interface HtmlHandlers {
  startTag: (tag: StartTag) => void;
  endTag: (tag: EndTag) => void;
  /** Decoded, in any number of pieces. */
  text?: (text: Text) => void;
  doctype?: (doctype: Doctype) => void;
}

/**
 * Passes the tokens of an HTML document on, as a browser finds them (WHATWG HTML §13.2.5), so text in comments, conditional
 * comments, scripts and styles is not taken for markup. False if the scan ended early, because a tag has very many attributes,
 * or namespaces are nested very deeply.
 */
export async function scanHtml(html: string, { startTag, endTag, text, doctype }: HtmlHandlers): Promise<boolean> {
  let openNamespaces = 0;
  const parser = new BoundedParser({ sourceCodeLocationInfo: true });
  parser.on('startTag', (tag) => {
    if (NAMESPACES.has(tag.tagName)) openNamespaces += 1;
    startTag(tag);
  });
  parser.on('endTag', (tag) => {
    if (NAMESPACES.has(tag.tagName)) openNamespaces -= 1;
    endTag(tag);
  });
  if (text) parser.on('text', text);
  if (doctype) parser.on('doctype', doctype);
  // The parser passes its input on; nobody reads it.
  parser.resume();
  for (let at = 0; at < html.length; at += SLICE_CHARACTERS) {
    if (at > 0) await yielding.pause();
    parser.write(html.slice(at, at + SLICE_CHARACTERS));
    if (parser.openAttributes > MAX_ATTRIBUTES || openNamespaces > MAX_NAMESPACES) return false;
  }
  parser.end();
  await finished(parser);
  return true;
}

class BoundedParser extends SAXParser {
  /** The number of attributes of the tag in which the input so far ends. */
  get openAttributes(): number {
    const { currentToken } = this.tokenizer as unknown as { currentToken: { attrs?: unknown[] } | null };
    return currentToken?.attrs?.length ?? 0;
  }
}

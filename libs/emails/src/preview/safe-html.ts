import { scanHtml, type HtmlHandlers } from '#libs/tracking';
import { isInternalImage, NO_URL, noImage, safeCss, type ImageSource } from './safe-css.js';

type Attributes = readonly { name: string; value: string }[];
type StartTag = Parameters<HtmlHandlers['startTag']>[0];
type Doctype = Parameters<NonNullable<HtmlHandlers['doctype']>>[0];

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Elements that format text. The tags of others are removed, and their text is shown. */
const ELEMENTS = words(
  'html head body a abbr acronym address area article aside b bdi bdo big blockquote br button caption center cite code col ' +
    'colgroup data dd del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup ' +
    'hr i img input ins kbd label legend li main map mark menu meter nav nobr ol p pre progress q rp rt ruby s samp section small ' +
    'span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr',
);
const VOID = words('area br col hr img input wbr meta');
/** Elements whose content is not part of what a reader sees. */
const HIDDEN = words('script title noscript iframe noembed noframes textarea template desc metadata');
const LINKS = words('a area');
/** Attributes that are neither URLs nor handlers. */
const ATTRIBUTES = words(
  'abbr align alt axis bgcolor border cellpadding cellspacing char charoff checked class clear color cols colspan compact ' +
    'coords datetime dir disabled face for frame frameborder headers height hidden high hspace id label lang low max min name noshade nowrap ' +
    'open optimum placeholder readonly reversed role rows rowspan rules scope shape size span start summary tabindex title ' +
    'translate type valign value vspace width usemap',
);
/** Names of `meta` elements that only say how to lay the document out. */
const LAYOUT = words('viewport color-scheme supported-color-schemes');
/** Links that a reader follows; nothing is requested before. */
const FOLLOWED = /^(?:https?:|mailto:|tel:|sms:|#)/i;
const PUBLIC_ID = /^[\w \-/+.:()']{1,100}$/;
const NAMESPACES = words('svg math');
/** Characters of style sheets in one document; the rest is not shown. */
const MAX_CSS = 128 * 1024;
/** Of one `style` attribute. */
const MAX_DECLARATIONS = 32 * 1024;

/**
 * The HTML of a message as a document that contacts no host and runs nothing, whatever a browser makes of it. Elements,
 * attributes, styles and URLs are rewritten from lists of those that are harmless; everything else is left out, because
 * no list of what loads something is complete. Images of other hosts are shown as `source` says, by default as missing. A
 * document that is too expensive to read is cut off.
 */
export async function safeHtml(html: string, source: ImageSource = noImage): Promise<string> {
  const writer = new SafeHtmlWriter(source);
  await scanHtml(html, {
    doctype: (doctype) => writer.doctype(doctype),
    startTag: (tag) => writer.startTag(tag),
    endTag: ({ tagName }) => writer.endTag(tagName.toLowerCase()),
    text: ({ text }) => writer.text(text),
  });
  return writer.end();
}

class SafeHtmlWriter {
  private readonly out: string[] = [];
  /** The open element that is not shown, and how often it is open. */
  private hidden: { name: string; depth: number } | null = null;
  /** The content of the open `style`. */
  private style: string | null = null;
  private namespaces = 0;
  private cssLeft = MAX_CSS;

  constructor(private readonly source: ImageSource) {}

  /** Kept, since browsers lay documents out by it. */
  doctype({ name, publicId, systemId }: Doctype): void {
    if (this.out.length > 0 || name !== 'html') return;
    const ids = [publicId, systemId].flatMap((id) => (id !== null && PUBLIC_ID.test(id) ? [` "${id}"`] : []));
    const keyword = publicId === null ? ' SYSTEM' : ' PUBLIC';
    this.out.push(`<!DOCTYPE html${ids.length === 0 ? '' : keyword}${ids.join('')}>`);
  }

  startTag(tag: StartTag): void {
    const name = tag.tagName.toLowerCase();
    const isClosed = tag.selfClosing && this.namespaces > 0;
    if (this.hidden !== null) {
      if (name === this.hidden.name && !isClosed) this.hidden.depth += 1;
      return;
    }
    this.endStyle();
    if (NAMESPACES.has(name) && !tag.selfClosing) this.namespaces += 1;
    if (ELEMENTS.has(name)) this.element(name, tag.attrs);
    else if (!isClosed) this.otherElement(name, tag.attrs);
  }

  endTag(name: string): void {
    if (this.hidden !== null) {
      if (name === this.hidden.name) this.hidden.depth -= 1;
      if (this.hidden.depth === 0) this.hidden = null;
      return;
    }
    this.endStyle();
    if (NAMESPACES.has(name) && this.namespaces > 0) this.namespaces -= 1;
    if (ELEMENTS.has(name) && !VOID.has(name)) this.out.push(`</${name}>`);
  }

  text(text: string): void {
    if (this.hidden !== null) return;
    if (this.style === null) this.out.push(text.replace(/[&<>]/g, reference));
    else if (this.style.length + text.length <= this.cssLeft) this.style += text;
  }

  end(): string {
    this.endStyle();
    return this.out.join('');
  }

  private endStyle(): void {
    if (this.style === null) return;
    this.cssLeft -= this.style.length;
    this.out.push(`<style>${safeCss(this.style, this.source)}</style>`);
    this.style = null;
  }

  private otherElement(name: string, attributes: Attributes): void {
    if (HIDDEN.has(name)) this.hidden = { name, depth: 1 };
    else if (name === 'style') this.style = '';
    else if (name === 'meta') this.meta(attributes);
  }

  private meta(attributes: Attributes): void {
    const valueOf = (wanted: string) => attributes.find(({ name }) => name === wanted)?.value ?? '';
    if (!LAYOUT.has(valueOf('name').toLowerCase())) return;
    this.out.push(`<meta${written('name', valueOf('name'))}${written('content', valueOf('content'))}>`);
  }

  private element(name: string, attributes: Attributes): void {
    const safe = attributes.flatMap((attribute) => this.attribute(name, attribute) ?? []);
    this.out.push(`<${name}${safe.join('')}>`);
    // The parser removes a line end here.
    if (name === 'pre') this.out.push('\n');
  }

  /** The attribute as it is written; null if it is left out. */
  private attribute(element: string, { name, value }: Attributes[number]): string | null {
    if (ATTRIBUTES.has(name) || name.startsWith('aria-')) return written(name, value);
    switch (name) {
      case 'style':
        return value.length > MAX_DECLARATIONS ? null : written(name, safeCss(value, this.source));
      case 'href':
        return LINKS.has(element) && FOLLOWED.test(value.trim()) ? written(name, value) : null;
      case 'src':
        // Browsers show the alternative text in the size of the image only if there is one that they cannot show.
        return element === 'img' ? written(name, this.imageOf(value)) : null;
      case 'background':
        return this.background(value);
      default:
        return null;
    }
  }

  private background(url: string): string | null {
    const shown = this.imageOf(url);
    return shown === NO_URL ? null : written('background', shown);
  }

  private imageOf(url: string): string {
    return isInternalImage(url) ? url : this.source(url);
  }
}

const written = (name: string, value: string): string => ` ${name}="${value.replace(/[&<>"]/g, reference)}"`;

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const reference = (character: string): string => REFERENCES[character];

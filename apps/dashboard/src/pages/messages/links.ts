export interface MessageLink {
  url: string;
  /** Visible text; '' for a link around an image without a description. */
  text: string;
}

export interface HtmlFacts {
  links: MessageLink[];
  /** Images that a mail program would load from other hosts; here, only when the reader asks for them. */
  remoteImages: number;
  imagesWithoutText: number;
  /** True if the layout depends on the width of the screen. */
  isResponsive: boolean;
  /** The widest element of a fixed width, in CSS pixels; 0 without one. */
  fixedWidth: number;
  /** CSS pixels that it fills on a phone, as estimated: a document of its own cannot be measured. */
  height: number;
}

const LINE_PX = 24;
const LETTERS_PER_LINE = 40;
/** An image without a height of its own. */
const IMAGE_PX = 160;

/** Reads HTML in a document that runs no script and loads nothing. */
export function htmlFacts(html: string): HtmlFacts {
  const document = new DOMParser().parseFromString(html, 'text/html');
  const images = [...document.images];
  const links = [...document.querySelectorAll('a[href], area[href]')].map((link) => ({
    url: link.getAttribute('href')?.trim() ?? '',
    text: textOf(link),
  }));
  return {
    links: links.filter(({ url }) => url !== ''),
    remoteImages: images.filter((image) => /^(https?:)?\/\//i.test(image.getAttribute('src') ?? '')).length,
    imagesWithoutText: images.filter((image) => !image.hasAttribute('alt')).length,
    isResponsive: [...document.querySelectorAll('style')].some(({ textContent }) => /@media\b/i.test(textContent)),
    fixedWidth: fixedWidthIn(document),
    height: heightOf(document),
  };
}

function fixedWidthIn(document: Document): number {
  const widths = [...document.querySelectorAll('table, td, th, div, img')].map((one) => {
    const attribute = /^\d{1,4}(?:px)?$/.exec(one.getAttribute('width') ?? '')?.[0];
    const style = /(?:^|[;\s])(?:min-)?width:\s?(\d{1,4})px/i.exec(one.getAttribute('style') ?? '')?.[1];
    return Math.max(Number.parseInt(attribute ?? '0', 10), Number(style ?? 0));
  });
  return widths.reduce((widest, width) => Math.max(widest, width), 0);
}

function heightOf(document: Document): number {
  const blocks = document.querySelectorAll('p, div, tr, li, br, hr, h1, h2, h3, pre').length;
  const letters = document.body.textContent.length;
  const images = [...document.images].map((image) => Number.parseInt(image.getAttribute('height') ?? '', 10));
  const pictures = images.reduce((sum, height) => sum + (Number.isNaN(height) ? IMAGE_PX : height), 0);
  return LINE_PX * (blocks + Math.ceil(letters / LETTERS_PER_LINE)) + pictures;
}

function textOf(link: Element): string {
  const text = link.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return text || (link.querySelector('img')?.getAttribute('alt') ?? '');
}

/** The addresses in a message without HTML. */
export function textLinks(text: string): MessageLink[] {
  const found = text.match(/\bhttps?:\/\/[^\s"'<>]{1,2000}/gi) ?? [];
  return [...new Set(found.map((url) => url.replace(/[.,;:!?)\]]{1,3}$/, '')))].map((url) => ({ url, text: '' }));
}

export const isWebLink = ({ url }: MessageLink): boolean => /^https?:\/\//i.test(url);

/** True if the text of a link is an address at a different host than its target, as in phishing mail. */
export function looksLikeAnotherHost({ url, text }: MessageLink): boolean {
  const shown = /^(?:https?:\/\/)?((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})(?:[/:?#].{0,2000})?$/i.exec(text)?.[1];
  if (shown === undefined || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol.startsWith('http') && withoutWww(hostname) !== withoutWww(shown);
}

const withoutWww = (host: string): string => host.toLowerCase().replace(/^www\./, '');

/* Style sheets that load nothing (CSS Syntax Level 3). Linear: each character is read a few times at most. */

/** Functions whose arguments are values, and pseudo-classes. All others may load something, now or in a later browser. */
const FUNCTIONS = new Set(
  (
    'rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark calc min max clamp round mod rem abs sign var env ' +
    'linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient ' +
    '-webkit-linear-gradient -webkit-radial-gradient -webkit-gradient -moz-linear-gradient -o-linear-gradient from to color-stop ' +
    'matrix matrix3d perspective rotate rotate3d rotatex rotatey rotatez scale scale3d scalex scaley scalez skew skewx skewy ' +
    'translate translate3d translatex translatey translatez cubic-bezier steps linear blur brightness contrast drop-shadow grayscale ' +
    'hue-rotate invert opacity saturate sepia circle ellipse inset rect polygon counter counters minmax repeat fit-content format ' +
    'local not is where has matches -webkit-any -moz-any nth-child nth-last-child nth-of-type nth-last-of-type lang dir and or ' +
    'supports selector layer'
  ).split(' '),
);
const AT_RULES = new Set(
  'media supports container layer page font-face keyframes -webkit-keyframes -moz-keyframes -o-keyframes -ms-viewport viewport'.split(
    ' ',
  ),
);
/** The URL in place of one that would be requested. */
export const NO_URL = 'data:,';

const NAME_START = /[A-Za-z_\u0080-\uffff\\-]/;
const NAME = /[\w\u0080-\uffff-]/;
const HEX = /[0-9a-f]/i;
const NEWLINE = /[\n\r\f]/;
const WHITE_SPACE = /[ \t\n\r\f]/;

/** Gives the URL that is shown in place of an image of another host. */
export type ImageSource = (url: string) => string;
export const noImage: ImageSource = () => NO_URL;

/** URLs of images within the message, which reach no host. */
export function isInternalImage(url: string): boolean {
  return /^(?:cid:|data:image\/)/i.test(url.trim());
}

/**
 * The style sheet, or the declarations of an attribute, without anything that loads: other URLs than those of images within
 * the message, functions that are not known to be harmless, and at-rules such as `@import`, however they are escaped. The
 * result has no `</` and no comments, so it ends no element.
 */
export function safeCss(css: string, source: ImageSource = noImage): string {
  return new CssRewriter(css, source).rewrite();
}

class CssRewriter {
  private at = 0;
  private out = '';

  constructor(
    private readonly css: string,
    private readonly source: ImageSource,
  ) {}

  rewrite(): string {
    while (this.at < this.css.length) this.token();
    return this.out;
  }

  private token(): void {
    const { css, at } = this;
    const one = css[at];
    if (one === '/' && css[at + 1] === '*') return this.comment();
    if (one === '"' || one === "'") return this.emit(quoted(this.string(one)));
    if (one === '@') return this.atKeyword();
    if (one === '<') return this.lessThan();
    if (this.startsName()) return this.name();
    this.at += 1;
    this.emit(one);
  }

  private emit(text: string): void {
    this.out += text;
  }

  /** Not dropped: two tokens would become one. */
  private comment(): void {
    const end = this.css.indexOf('*/', this.at + 2);
    this.at = end < 0 ? this.css.length : end + 2;
    this.emit('/**/');
  }

  /** In a range of media, with white space behind it: never the start of a tag. */
  private lessThan(): void {
    this.at += 1;
    this.emit(this.css[this.at] === '=' ? '<' : '< ');
  }

  private startsName(): boolean {
    const { css, at } = this;
    return css[at] === '\\' ? this.startsEscape(at) : NAME_START.test(css[at]) && css[at] !== '\\';
  }

  private startsEscape(at: number): boolean {
    return this.css[at] === '\\' && at + 1 < this.css.length && !NEWLINE.test(this.css[at + 1]);
  }

  private atKeyword(): void {
    this.at += 1;
    this.emit('@');
    if (this.at >= this.css.length || !this.startsName()) return;
    const { text, written } = this.consumeName();
    this.emit(AT_RULES.has(text.toLowerCase()) ? written : '-not-loaded');
  }

  private name(): void {
    const { text, written } = this.consumeName();
    if (this.css[this.at] !== '(') return this.emit(written);
    this.at += 1;
    const name = text.toLowerCase();
    if (name === 'url') return this.url();
    this.emit(`${FUNCTIONS.has(name) ? written : '-not-loaded'}(`);
  }

  private consumeName(): { text: string; written: string } {
    let [text, written] = ['', ''];
    while (this.at < this.css.length) {
      const one = this.css[this.at];
      if (NAME.test(one)) {
        text += one;
        written += one;
        this.at += 1;
      } else if (this.startsEscape(this.at)) {
        const character = this.escape();
        text += character;
        written += escaped(character);
      } else break;
    }
    return { text, written };
  }

  /** Behind `url(`. */
  private url(): void {
    while (WHITE_SPACE.test(this.css[this.at] ?? '')) this.at += 1;
    const quote = this.css[this.at];
    const isQuoted = quote === '"' || quote === "'";
    const url = isQuoted ? this.string(quote) : this.bareUrl();
    this.emit(`url(${quoted(isInternalImage(url) ? url : this.source(url))}${isQuoted ? '' : ')'}`);
  }

  /** The rest of a URL without quotes, with the closing parenthesis. */
  private bareUrl(): string {
    let url = '';
    while (this.at < this.css.length && this.css[this.at] !== ')') {
      if (this.startsEscape(this.at)) url += this.escape();
      else url += this.css[this.at++];
    }
    this.at += 1;
    return url;
  }

  /** The value of the string that begins here; it ends at the quote, or before the end of the line. */
  private string(quote: string): string {
    let value = '';
    this.at += 1;
    while (this.at < this.css.length && this.css[this.at] !== quote && !NEWLINE.test(this.css[this.at])) {
      if (this.startsEscape(this.at)) value += this.escape();
      else if (this.css[this.at] === '\\') this.at += this.css.startsWith('\r\n', this.at + 1) ? 3 : 2;
      else value += this.css[this.at++];
    }
    if (this.css[this.at] === quote) this.at += 1;
    return value;
  }

  /** The character that an escape stands for. */
  private escape(): string {
    this.at += 1;
    const from = this.at;
    while (this.at - from < 6 && HEX.test(this.css[this.at] ?? '')) this.at += 1;
    if (this.at === from) {
      const character = String.fromCodePoint(this.css.codePointAt(from) ?? 0);
      this.at += character.length;
      return character;
    }
    const code = Number.parseInt(this.css.slice(from, this.at), 16);
    if (this.css.startsWith('\r\n', this.at)) this.at += 2;
    else if (WHITE_SPACE.test(this.css[this.at] ?? '')) this.at += 1;
    return isScalar(code) ? String.fromCodePoint(code) : '\ufffd';
  }
}

const isScalar = (code: number): boolean => code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);

const escaped = (character: string): string => `\\${(character.codePointAt(0) ?? 0).toString(16)} `;

/** With apostrophes, which need no reference in an attribute, so that `cid:` URLs are found there. */
const quoted = (value: string): string => `'${value.replace(/['"\\<\n\r\f]/g, escaped)}'`;

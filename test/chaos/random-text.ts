/** First and last code point of what people write in. */
const SCRIPTS: [first: number, last: number][] = [
  [0x20, 0x7e],
  [0x20, 0x7e],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x52f],
  [0x590, 0x6ff],
  [0x900, 0x97f],
  [0xe00, 0xe7f],
  [0x1100, 0x11ff],
  [0x3040, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x10000, 0x10ffff],
];
/** What subjects and names may not have: controls, line separators, halves of pairs, marks that turn the direction. */
const NOT_IN_HEADERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

export class RandomText {
  constructor(readonly next: () => number) {}

  /** A whole number from `least` to `most`. */
  number(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.number(0, from.length - 1)];
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Of one to three scripts, without white space at its ends; good for a subject and a name. */
  line(most: number): string {
    const scripts = Array.from({ length: this.number(1, 3) }, () => this.pick(SCRIPTS));
    const length = this.number(1, most);
    let text = '';
    while (text.length < length) {
      const [first, last] = this.pick(scripts);
      const character = String.fromCodePoint(this.number(first, last));
      if (!NOT_IN_HEADERS.test(character)) text += this.chance(0.1) ? ' ' : character;
    }
    return text.trim() || 'x';
  }

  /** Lines of all lengths and kinds, with whatever may be in a body. */
  body(): string {
    const lines = Array.from({ length: this.number(0, 30) }, () => {
      const kind = this.next();
      if (kind < 0.1) return '';
      if (kind < 0.2)
        return this.pick(['.', '..', '. ', 'From ', 'From x', '>From y', '--', '-- ', '=', '=20', '\t', ' ', '--=_']);
      if (kind < 0.3) return 'x'.repeat(this.number(70, 1_200));
      return this.line(kind < 0.6 ? 40 : 300) + this.pick(['', '', ' ', '\t', ' \t ']);
    });
    return lines.join(this.pick(['\n', '\n', '\r\n'])) + this.pick(['', '\n', '\n\n\n']);
  }
}

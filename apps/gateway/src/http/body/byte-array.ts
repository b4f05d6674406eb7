const COMMA = 0x2c;
const CLOSE = 0x5d;
const ZERO = 0x30;
const NINE = 0x39;
const NO_NUMBER = -1;

/**
 * Reads a JSON array of integers from 0 to 255 without creating its numbers: one pass over the text, one byte of memory
 * per number. The text may arrive in slices, which may end within a number.
 */
export class ByteArrayReader {
  readonly content: Buffer[] = [];
  done = false;
  private value = NO_NUMBER;
  /** True after a complete number, until the comma. */
  private separatorNext = false;
  private count = 0;

  /**
   * Reads from `at`, at most up to `until`.
   * @returns the position after the last byte read; null for anything that does not belong to such an array
   */
  read(text: Buffer, at: number, until: number): number | null {
    // A number and its comma have at least two characters; the one before may be complete now.
    const bytes = Buffer.allocUnsafe(((until - at) >> 1) + 2);
    let size = 0;
    for (let i = at; i < until; i += 1) {
      const character = text[i];
      if (character >= ZERO && character <= NINE) {
        if (this.separatorNext || this.value === 0) return null;
        this.value = (this.value === NO_NUMBER ? 0 : this.value * 10) + character - ZERO;
        if (this.value > 0xff) return null;
        continue;
      }
      if (this.value !== NO_NUMBER) {
        bytes[size++] = this.value;
        this.endNumber();
      }
      if (!this.between(character)) return null;
      if (this.done) {
        this.content.push(bytes.subarray(0, size));
        return i + 1;
      }
    }
    this.content.push(bytes.subarray(0, size));
    return until;
  }

  private endNumber(): void {
    this.value = NO_NUMBER;
    this.separatorNext = true;
    this.count += 1;
  }

  /** False for a character that may not stand after or between numbers. */
  private between(character: number): boolean {
    if (character === COMMA) {
      if (!this.separatorNext) return false;
      this.separatorNext = false;
      return true;
    }
    if (character === CLOSE) {
      this.done = this.separatorNext || this.count === 0;
      return this.done;
    }
    return character === 0x20 || character === 0x09 || character === 0x0a || character === 0x0d;
  }
}

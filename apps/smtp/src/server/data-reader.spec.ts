import { once } from 'node:events';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { describe, expect, it } from 'vitest';
import { readDataFast } from './smtp-server-internals.js';

interface Read {
  /** Each message in turn, as latin1. */
  messages: string[];
  commands: string[];
}

/** Feeds the chunks to a parser that is in the data phase from the start, and after each `AGAIN`. */
async function read(parser: SMTPStream, chunks: Buffer[]): Promise<Read> {
  const messages: string[] = [];
  const commands: string[] = [];
  const receive = (): void => {
    const stream = parser.startDataMode();
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      messages.push(Buffer.concat(pieces).toString('latin1'));
      parser.continue();
    });
  };
  parser.oncommand = (line, next) => {
    commands.push(line.toString('latin1'));
    if (line.toString() === 'AGAIN') receive();
    // Asynchronously, as handlers of the server do.
    if (next) setImmediate(next);
  };
  receive();
  for (const chunk of chunks)
    await new Promise<void>((resolve, reject) => {
      parser.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  return { messages, commands };
}

const fast = (chunks: Buffer[]): Promise<Read> => read(readDataFast(new SMTPStream()), chunks);
const slow = (chunks: Buffer[]): Promise<Read> => read(new SMTPStream(), chunks);
const buffers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'));

/** Every way to split the text in two, and octet by octet. */
function splits(text: string): Buffer[][] {
  const two = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [...two, [...text]].map((pieces) => buffers(...pieces.filter((piece) => piece !== '')));
}

describe('readDataFast', () => {
  it.each([
    ['a message', 'a\r\nb\r\n.\r\nQUIT\r\n', ['a\r\nb\r\n']],
    ['an empty message', '.\r\nQUIT\r\n', ['']],
    ['an empty line', '\r\n.\r\nQUIT\r\n', ['\r\n']],
    ['escaped dots', '..a\r\n..\r\n...b\r\nc.\r\n.\r\nQUIT\r\n', ['.a\r\n.\r\n..b\r\nc.\r\n']],
    ['dots that end nothing', 'a\n.\r\nb\r\n.\nc\r.\r\nd\r\n.\r\nQUIT\r\n', ['a\n.\r\nb\r\n.\nc\r.\r\nd\r\n']],
    ['an escaped dot after a bare line feed', 'a\n..b\r\n.\r\nQUIT\r\n', ['a\n.b\r\n']],
    ['a second message behind it', 'a\r\n.\r\nAGAIN\r\n..b\r\n.\r\nQUIT\r\n', ['a\r\n', '.b\r\n']],
  ])('reads %s, however it is split', async (_, text, messages) => {
    for (const chunks of splits(text)) {
      const result = await fast(chunks);
      expect(result.messages).toEqual(messages);
      expect(result.commands.at(-1)).toBe('QUIT');
    }
  });

  it('reads random data in random chunks as the library does', async () => {
    const alphabet = ['.', '.', '\r\n', '\r\n', '\r', '\n', 'x', 'yy'];
    let state = 12345;
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state % below;
    };
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from({ length: random(24) }, () => alphabet[random(alphabet.length)]).join('');
      const chunks: string[] = [];
      for (let rest = `${text}\r\n.\r\nQUIT\r\n`; rest !== '';) {
        const size = 1 + random(9);
        chunks.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      expect(await fast(buffers(...chunks)), JSON.stringify(chunks)).toEqual(await slow(buffers(...chunks)));
    }
  });

  it('counts octets, and reports an oversized message before its end', async () => {
    const parser = readDataFast(new SMTPStream());
    const stream = parser.startDataMode(10);
    stream.resume();
    parser.write(Buffer.from('0123456789abcdef'));
    expect(stream.byteLength).toBe(16);
    expect(stream.sizeExceeded).toBe(true);
    parser.write(Buffer.from('\r\n.\r\n'));
    expect(parser.dataBytes).toBe(18);
  });

  it('passes on a bounded part of a large message per turn of the event loop', async () => {
    const parser = readDataFast(new SMTPStream());
    const stream = parser.startDataMode();
    const perTurn = [0];
    stream.on('data', (piece: Buffer) => (perTurn[perTurn.length - 1] += piece.length));
    let running = true;
    const turn = (): void => {
      perTurn.push(0);
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    const ended = once(stream, 'end');
    const line = Buffer.from(`${'x'.repeat(998)}\r\n`);
    const piece = Buffer.concat(Array.from({ length: 64 }, () => line));
    for (let i = 0; i < 64; i++) parser.write(piece);
    parser.write(Buffer.from('.\r\n'));
    await ended;
    running = false;
    expect(perTurn.reduce((sum, octets) => sum + octets, 0)).toBe(64 * piece.length);
    // The beginning at once, then one part per turn.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(64 * 1024 + 2 * piece.length);
    expect(perTurn.filter((octets) => octets > 0).length).toBeGreaterThanOrEqual(29);
  });
});

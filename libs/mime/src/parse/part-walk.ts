import { splitMultipart } from './multipart.js';
import { readPartHead, type PartHead } from './part-head.js';

/** Containers included. */
export const MAX_PARTS = 200;
export const MAX_DEPTH = 20;
/** Bounds the work on bodies that are full of text that looks like a delimiter. */
const MAX_LOOKALIKES = 20_000;

export type WalkLimit = 'parts' | 'depth' | 'lookalikes';

/** The message itself, a part of a multipart, or the message in a `message/rfc822` part. */
export interface Part {
  head: PartHead;
  /** 0 for the message itself. */
  depth: number;
  /** Position in its multipart; 0 for a message. */
  index: number;
  parent: Part | null;
}

/**
 * Walks over the parts of a message, each before its children. The visitor decides from the head of a part whether to
 * descend (`intoParts`, `intoMessage`), because readers differ in how strictly they read a head. Bounded in parts, depth
 * and delimiter look-alikes of the whole message; the walk ends at the first limit.
 */
export class PartWalk {
  /** The message has more than was visited. */
  truncated = false;
  private parts = 0;
  private lookalikes = 0;

  /** @param onLimit may throw to abandon the message */
  constructor(
    private readonly visit: (part: Part) => void,
    private readonly onLimit: (limit: WalkLimit) => void = () => undefined,
  ) {}

  run(message: Buffer): void {
    this.enter(message, 0, null);
  }

  intoParts(multipart: Part, boundary: string): void {
    const stopAtLookalike = () => {
      this.lookalikes += 1;
      this.truncated ||= this.lookalikes > MAX_LOOKALIKES;
      return this.truncated;
    };
    let index = 0;
    for (const { kind, octets } of splitMultipart(multipart.head.body, boundary, stopAtLookalike)) {
      if (kind === 'frame') continue;
      this.enter(octets, index, multipart);
      index += 1;
      if (this.truncated) break;
    }
    if (this.lookalikes > MAX_LOOKALIKES) this.onLimit('lookalikes');
  }

  intoMessage(container: Part): void {
    this.enter(container.head.body, 0, container);
  }

  private enter(octets: Buffer, index: number, parent: Part | null): void {
    const depth = parent === null ? 0 : parent.depth + 1;
    if (this.parts === MAX_PARTS) return this.stop('parts');
    if (depth > MAX_DEPTH) return this.stop('depth');
    this.parts += 1;
    this.visit({ head: readPartHead(octets), depth, index, parent });
  }

  private stop(limit: WalkLimit): void {
    this.truncated = true;
    this.onLimit(limit);
  }
}

/** Smaller chunks are copied into blocks of this size. */
const BLOCK_BYTES = 4096;

/**
 * The chunks of a stream. Small chunks are copied together: each has an object and an allocation of its own, so that a
 * stream of single bytes would take more than a hundred times its size.
 */
export class ChunkList {
  private chunks: Buffer[] = [];
  private block: Buffer | null = null;
  private filled = 0;

  push(chunk: Buffer): void {
    const isFirst = this.chunks.length === 0 && this.block === null;
    if (!isFirst && chunk.length < BLOCK_BYTES) return this.copy(chunk);
    this.closeBlock();
    this.chunks.push(chunk);
  }

  /** All chunks, in their order; the list is empty afterwards. */
  take(): Buffer[] {
    this.closeBlock();
    const { chunks } = this;
    this.chunks = [];
    return chunks;
  }

  private copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      this.block ??= Buffer.allocUnsafe(BLOCK_BYTES);
      const copied = chunk.copy(this.block, this.filled, from);
      from += copied;
      this.filled += copied;
      if (this.filled === BLOCK_BYTES) this.closeBlock();
    }
  }

  private closeBlock(): void {
    if (this.block === null) return;
    this.chunks.push(this.block.subarray(0, this.filled));
    this.block = null;
    this.filled = 0;
  }
}

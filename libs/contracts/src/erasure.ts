/**
 * The erasure of one recipient of an account: what to look for in stored text, and what stands in its place afterwards. Each
 * library applies it to its own tables, in bounded batches that can be repeated.
 */
export interface AddressErasure {
  accountId: string;
  /** In the form of `normaliseAddress` of mime. */
  address: string;
  /** `erased-<keyed hash>@erased.invalid`, which tells nothing about the address without MASTER_KEY. */
  erasedAs: string;
  /** Texts, in lower case, of which one occurs in every text and JSON that contains the address. */
  needles: readonly string[];
  /** The text with the address replaced wherever it occurs. */
  rewrite(text: string): string;
  /** The same for every text in a value of JSON. */
  rewriteJson<T>(value: T): T;
  /** The same for the JSON text of an event or of the body of a webhook; also removes client and IP address of its visits. */
  rewriteEvent(json: string): string;
}

/** One batch of an erasure. */
export interface ErasedBatch {
  /** Rows that contained the address. */
  rows: number;
  /** Where the next batch begins; null after the last one. */
  cursor: string | null;
}

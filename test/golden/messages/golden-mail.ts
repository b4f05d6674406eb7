/** What a receiver must read from a mail, whatever bytes it came in. */
export interface Expected {
  /** Media types of all parts, outermost first, as a reader walks them. */
  structure: string[];
  subject: string;
  /** Display names in the order of the field; '' where there is none. */
  fromName?: string;
  toNames?: string[];
  ccNames?: string[];
  /** Decoded text of the first part of the type, line ends as LF, without the one that ends the part. */
  text?: string;
  html?: string;
  /** Parts with a name, in order. */
  files?: { filename: string; sha256: string }[];
}

/** A body of `POST /emails`, but for its recipients. */
export interface GoldenRequest {
  name: string;
  body: Record<string, unknown>;
  expected: Expected;
}

/** A message as an SMTP client submits it. */
export interface GoldenSubmission {
  name: string;
  raw: Buffer;
  expected: Expected;
}

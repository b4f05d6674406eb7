import { decodeText } from './charsets.js';
import { partField } from './part-head.js';
import { PartWalk, type Part } from './part-walk.js';
import { readStructuredValue, type StructuredValue } from './structured-value.js';
import { decodeTransferEncoding } from './transfer-encoding.js';

/** A part that is not the text of the mail. */
export interface ReadAttachment {
  /** Decoded, as the sender wrote it; '' where the part has no name. Not safe as a path. */
  filename: string;
  /** `type/subtype` in lower case, as the sender claims. */
  contentType: string;
  /** Without angle brackets. */
  contentId?: string;
  /** True where the part says `Content-Disposition: attachment`. */
  attached: boolean;
  /** Octets after decoding. */
  size: number;
  content: Buffer;
}

export interface ReadParts {
  html?: string;
  text?: string;
  attachments: ReadAttachment[];
  /** The message has more parts, levels or boundary look-alikes than are read; the result covers its beginning. */
  truncated: boolean;
}

/**
 * Reads the texts and files of a message of any origin: the first plain and the first HTML part that are neither named
 * nor attached are the text of the mail, all others are attachments. Bounded in parts and depth; never throws.
 */
export function readParts(message: Buffer): ReadParts {
  const read: ReadParts = { attachments: [], truncated: false };
  const walk = new PartWalk((part) => {
    const type = readStructuredValue(partField(part.head, 'content-type') || 'text/plain');
    const boundary = type.parameters.get('boundary');
    if (type.value.startsWith('multipart/') && boundary) walk.intoParts(part, boundary);
    else readLeaf(read, part, type);
  });
  walk.run(message);
  return { ...read, truncated: walk.truncated };
}

function readLeaf(read: ReadParts, { head }: Part, type: StructuredValue): void {
  const content = decodeTransferEncoding(head.body, partField(head, 'content-transfer-encoding'));
  const disposition = readStructuredValue(partField(head, 'content-disposition'));
  const filename = disposition.parameters.get('filename') || type.parameters.get('name') || '';
  const attached = disposition.value === 'attachment';
  if (filename === '' && !attached && takeText(read, type, content)) return;
  const contentId = partField(head, 'content-id').trim().replace(/^<|>$/g, '');
  read.attachments.push({
    filename,
    contentType: type.value.includes('/') ? type.value : 'text/plain',
    ...(contentId ? { contentId } : {}),
    attached,
    size: content.length,
    content,
  });
}

/** True if the part became the text or the HTML of the mail. */
function takeText(read: ReadParts, type: StructuredValue, content: Buffer): boolean {
  const member = type.value === 'text/html' ? 'html' : 'text';
  const readable = member === 'html' || type.value === 'text/plain' || !type.value.includes('/');
  if (!readable || read[member] !== undefined) return false;
  read[member] = decodeText(content, type.parameters.get('charset') ?? '');
  return true;
}

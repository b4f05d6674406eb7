import type { PartsContent } from './submission.js';

interface PartsJson {
  html?: string;
  text?: string;
  headers: [string, string][];
  attachments: { filename: string; contentType: string; contentId?: string; content: string }[];
}

/** The parts of a mail as `email_contents.body` keeps them: JSON, files in base64. */
export function encodeParts(parts: PartsContent): Buffer {
  const json: PartsJson = {
    ...(parts.html === undefined ? {} : { html: parts.html }),
    ...(parts.text === undefined ? {} : { text: parts.text }),
    headers: parts.headers,
    attachments: parts.attachments.map((file) => ({ ...file, content: file.content.toString('base64') })),
  };
  return Buffer.from(JSON.stringify(json));
}

export function decodeParts(body: Buffer): PartsContent {
  const json = JSON.parse(body.toString()) as PartsJson;
  return {
    format: 'parts',
    ...json,
    attachments: json.attachments.map((file) => ({ ...file, content: Buffer.from(file.content, 'base64') })),
  };
}

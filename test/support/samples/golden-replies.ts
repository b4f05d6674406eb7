import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toServerReply } from '../../../libs/mta/src/replies/server-reply.js';
import type { ServerReply } from '#libs/mta';

/** One labelled reply of `test/golden/replies`; the columns are explained in its README. */
export interface GoldenReply {
  /** The line as a server would send it. */
  line: string;
  reply: ServerReply;
  class: string;
  permanent: boolean;
  retryMs: number | undefined;
  suppress: boolean;
  provider: string;
  language: string;
}

const FOLDER = new URL('../../golden/replies/', import.meta.url);
const HELD_OUT_BYTES = 64;

export function readGoldenReplies(part: 'known' | 'held-out'): GoldenReply[] {
  const [, ...lines] = readFileSync(new URL(`${part}.tsv`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((row) => {
    const [code, enhanced, name, permanent, retryMs, suppress, provider, language, text] = row.split('\t');
    const line = [code, enhanced, text].filter((piece) => piece !== '').join(' ');
    return {
      line,
      reply: toServerReply({ code: Number(code), raw: `${line}\r\n` }),
      class: name,
      permanent: permanent === 'yes',
      retryMs: retryMs === '' ? undefined : Number(retryMs),
      suppress: suppress === 'yes',
      provider,
      language,
    };
  });
}

/** The part that a reply belongs to is no choice: a quarter of all hashes. */
export function partOf(line: string): 'known' | 'held-out' {
  return createHash('sha256').update(line).digest()[0] < HELD_OUT_BYTES ? 'held-out' : 'known';
}

/** One reply of `test/golden/replies/public` or `held-out`. */
export interface PublicReply extends Omit<GoldenReply, 'retryMs'> {
  /** The command that was answered: connect, mail, rcpt or data. */
  phase: string;
  source: string;
}

export function readPublicReplies(set: 'public' | 'held-out'): PublicReply[] {
  const [, ...lines] = readFileSync(new URL(`${set}/replies.tsv`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((row) => {
    const [code, enhanced, phase, name, permanent, suppress, provider, language, source, text] = row.split('\t');
    const line = [code, enhanced, text].filter((piece) => piece !== '').join(' ');
    const reply = toServerReply({ code: Number(code), raw: `${line}\r\n` });
    return {
      ...{ line, reply, phase, class: name, provider, language, source },
      permanent: permanent === 'yes',
      suppress: suppress === 'yes',
    };
  });
}

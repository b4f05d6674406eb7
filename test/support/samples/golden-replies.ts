import { toServerReply } from '../../../libs/mta/src/replies/server-reply.js';
import type { ServerReply } from '#libs/mta';
import { readTable } from './golden-tables.js';

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

/** One reply of `test/golden/replies/public` or `held-out`. */
export interface PublicReply extends Omit<GoldenReply, 'retryMs'> {
  /** The command that was answered: connect, mail, rcpt or data. */
  phase: string;
  source: string;
}

const FOLDER = new URL('../../golden/replies/', import.meta.url);

export function readGoldenReplies(part: 'known' | 'held-out'): GoldenReply[] {
  return readTable(new URL(`${part}.tsv`, FOLDER)).map(
    ([code, enhanced, name, permanent, retryMs, suppress, provider, language, text]) => ({
      ...replyOf(code, enhanced, text),
      class: name,
      permanent: permanent === 'yes',
      retryMs: retryMs === '' ? undefined : Number(retryMs),
      suppress: suppress === 'yes',
      provider,
      language,
    }),
  );
}

export function readPublicReplies(set: 'public' | 'held-out'): PublicReply[] {
  return readTable(new URL(`${set}/replies.tsv`, FOLDER)).map(
    ([code, enhanced, phase, name, permanent, suppress, provider, language, source, text]) => ({
      ...replyOf(code, enhanced, text),
      ...{ phase, class: name, provider, language, source },
      permanent: permanent === 'yes',
      suppress: suppress === 'yes',
    }),
  );
}

function replyOf(...words: [code: string, enhanced: string, text: string]): Pick<GoldenReply, 'line' | 'reply'> {
  const line = words.filter((word) => word !== '').join(' ');
  return { line, reply: toServerReply({ code: Number(words[0]), raw: `${line}\r\n` }) };
}

import type { RawReply } from './reply-reader.js';

/**
 * Logs in (RFC 4954) with AUTH PLAIN, or LOGIN where only that is offered. `offered` has the mechanisms in upper case.
 * @returns the last reply, which is 235 when all went well; null: neither is offered, and nothing was said
 */
export async function logIn(
  login: { user: string; password: string },
  offered: ReadonlySet<string>,
  ask: (line: string) => Promise<RawReply>,
): Promise<RawReply | null> {
  if (offered.has('PLAIN')) return ask(`AUTH PLAIN ${base64(`\0${login.user}\0${login.password}`)}`);
  if (!offered.has('LOGIN')) return null;
  let reply = await ask('AUTH LOGIN');
  if (reply.code === 334) reply = await ask(base64(login.user));
  if (reply.code === 334) reply = await ask(base64(login.password));
  return reply;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

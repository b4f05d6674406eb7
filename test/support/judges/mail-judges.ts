import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { pythonWith } from './python.js';

/*
 * Other people's programs as judges of messages. None of them is ours, and none of ours judges ours. A judge that is
 * absent is null, so that its tests are reported as skipped; with POSTLOFT_REQUIRE_ENGINES=1 it must be there.
 */

/** A message as Python's `email` reads it under its policy for SMTP. */
export interface PythonReading {
  structure: string[];
  defects: string[];
  subject: string | null;
  fromNames: string[];
  /** Decoded as a whole; a name in quotes keeps them. */
  fromField: string;
  toNames: string[];
  ccNames: string[];
  replyToNames: string[];
  text: string | null;
  html: string | null;
  files: { filename: string; sha256: string }[];
  headers: [name: string, value: string][];
  /** How often each field occurs that may occur once. */
  counts: Record<string, number>;
  date: string | null;
  /** Octets of the longest line, without its end. */
  longest: number;
  bareEnds: number;
  eightBit: boolean;
  endsWithCrlf: boolean;
  /** Base64 of what follows the blank line. */
  body: string;
}

export interface SpfQuestion {
  ip: string;
  sender: string;
  helo: string;
}

interface PythonJob {
  mails?: Buffer[];
  signed?: Buffer[];
  /** TXT by name. */
  records?: Record<string, string>;
  spf?: SpfQuestion[];
  zone?: Record<string, string[]>;
}

export interface PythonVerdict {
  mails: PythonReading[];
  /** One per signature of each message, from the top. */
  dkim: boolean[][];
  spf: string[];
}

const python = pythonWith('dkim', 'nacl', 'spf');
const base64 = (messages: readonly Buffer[] = []) => messages.map((message) => message.toString('base64'));
const script = (name: string) => new URL(`./${name}`, import.meta.url).pathname;

export const judgeWithPython =
  python === null
    ? null
    : async ({ mails, signed, ...job }: PythonJob): Promise<PythonVerdict> =>
        JSON.parse(
          await run(python, [script('judge_mails.py')], {
            input: JSON.stringify({ ...job, mails: base64(mails), signed: base64(signed) }),
          }),
        ) as PythonVerdict;

/** Exit codes of `opendkim-testmsg`: 0 is a valid signature. Its resolver is ours, in namespaces of its own. */
export const judgeWithOpendkim =
  !hasAll('opendkim-testmsg') || !hasNamespaces()
    ? null
    : async (signed: readonly Buffer[], records: Record<string, string>): Promise<number[]> =>
        JSON.parse(
          await run('unshare', ['-rmn', 'python3', script('judge_opendkim.py')], {
            input: JSON.stringify({ records, signed: base64(signed) }),
          }),
        ) as number[];

/** The results of mailauth, one per signature. */
export async function judgeWithMailauth(message: Buffer, records: Record<string, string>): Promise<string[]> {
  const resolver = (name: string, type: string) => {
    const value = records[name];
    return type === 'TXT' && value !== undefined
      ? Promise.resolve([[value]])
      : Promise.reject(Object.assign(new Error('no data'), { code: 'ENOTFOUND' }));
  };
  const { results } = await dkimVerify(message, { resolver });
  return results.map(({ status }: { status: { result: string } }) => status.result);
}

/** The media types of all parts and the names of files, as mblaze walks them; then decoded header fields. */
export interface MblazeReading {
  structure: string[];
  filenames: string[];
  subject: string;
  from: string;
}

export const judgeWithMblaze = !hasAll('mshow', 'mhdr')
  ? null
  : (messages: readonly Buffer[]): Promise<MblazeReading[]> =>
      withFiles(messages, async (files) => {
        const readings: MblazeReading[] = [];
        for (const file of files) readings.push(await readByMblaze(file));
        return readings;
      });

async function readByMblaze(file: string): Promise<MblazeReading> {
  const tree = (await run('mshow', ['-t', file])).split('\n').slice(1);
  const parts = tree.flatMap((line) => {
    const [, type, name] = /^ +\d+: (\S+)(?: size=\d+)?(?: name="(.*)")?/.exec(line) ?? [];
    return type ? [{ type, name }] : [];
  });
  const header = async (name: string) => (await run('mhdr', ['-d', '-h', name, file])).replace(/\n$/, '');
  return {
    structure: parts.map(({ type }) => type),
    filenames: parts.flatMap(({ name }) => (name ? [name] : [])),
    subject: await header('subject'),
    from: await header('from'),
  };
}

/** One decoded header field of each message, by mblaze. */
export const decodeByMblaze = !hasAll('mhdr')
  ? null
  : (field: string, messages: readonly Buffer[]): Promise<string[]> =>
      withFiles(messages, async (files) =>
        (await run('mhdr', ['-d', '-h', field, ...files])).replace(/\n$/, '').split('\n'),
      );

export interface SpamScore {
  score: number;
  rules: string[];
}

/** SpamAssassin by its local rules alone. */
export const judgeWithSpamAssassin = !hasAll('spamassassin')
  ? null
  : (messages: readonly Buffer[]): Promise<SpamScore[]> =>
      withFiles(messages, async (files, folder) => {
        const output = await run('spamassassin', ['-L', '-t', ...files], { env: { HOME: folder } });
        // In one line or folded; what follows is the next tag.
        return [
          ...output.matchAll(/^X-Spam-Status: [^]*?score=(-?[\d.]+)[^]*?tests=([^]*?) (?:autolearn|version)=/gm),
        ].map(([, score, tests]) => ({
          score: Number(score),
          rules: tests.split(/[\s,]+/).filter((rule) => rule !== '' && rule !== 'none'),
        }));
      });

/** Each of these programs is there; with POSTLOFT_REQUIRE_ENGINES=1 that is no question. */
function hasAll(...commands: string[]): boolean {
  const missing = commands.find((command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error);
  if (missing && process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error(`${missing} is not here`);
  return missing === undefined;
}

/** Namespaces of one's own need a kernel that gives them away. */
function hasNamespaces(): boolean {
  if (spawnSync('unshare', ['-rmn', 'ip', 'link', 'set', 'lo', 'up']).status === 0) return true;
  if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error('unshare -rmn does not work here');
  return false;
}

async function withFiles<T>(
  messages: readonly Buffer[],
  work: (files: string[], folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-judges-'));
  try {
    const files = messages.map((message, i) => {
      const file = join(folder, `${String(i).padStart(5, '0')}.eml`);
      writeFileSync(file, message);
      return file;
    });
    return await work(files, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Standard output of a program that ends well. */
function run(
  command: string,
  args: string[],
  { input, env = {} }: { input?: string; env?: object } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { maxBuffer: 512 * 1024 * 1024, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8', ...env } },
      (error, stdout, stderr) =>
        error ? reject(new Error(`${command}: ${stderr || error.message}`)) : resolve(stdout),
    );
    // One that reads no input may be gone before it is offered any.
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });
}

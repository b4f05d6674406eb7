import { open } from 'node:fs/promises';
import { once } from 'node:events';
import { exportAccount } from '#libs/backup';
import { requireAccount } from './administration.js';
import type { Command } from './command.js';

export const ACCOUNT_EXPORT: Command = {
  name: 'accounts export',
  positionals: ['account'],
  options: { to: { type: 'string' } },
  synopsis: '[--to FILE]',
  summary:
    'Writes everything that an account owns as lines of JSON, {"table", "row"}, without secrets: to standard output, or to a new FILE.',
  prepare: ({ positionals: [account], options }) => {
    const file = options['to'] as string | undefined;
    return async (admin) => {
      await requireAccount(admin, account);
      const output = await openOutput(file);
      let rows = 0;
      for await (const line of exportAccount({ ...admin, contents: await admin.contents(), accountId: account })) {
        rows += 1;
        if (!output.write(line)) await once(output, 'drain');
      }
      if (file === undefined) return { json: null, text: '', isWritten: true };
      output.end();
      await once(output, 'close');
      return { json: { account, file, rows }, text: `Wrote ${rows} rows of ${account} to ${file}.` };
    };
  },
};

/** @throws an error with a sentence if the file exists or cannot be made */
async function openOutput(file: string | undefined): Promise<NodeJS.WritableStream> {
  if (file === undefined) return process.stdout;
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'EEXIST'
        ? `--to must be a new file: ${file} exists.`
        : `--to cannot be written: ${error.message}.`,
      { cause: error },
    );
  });
  return handle.createWriteStream();
}

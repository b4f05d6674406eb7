import type { Administration } from './administration.js';
import type { Command, CommandOutput } from './command.js';

type MasterKeyStatus = Awaited<ReturnType<Administration['masterKey']['status']>>;
type MasterKeyRotation = Awaited<ReturnType<Administration['masterKey']['rotate']>>;

const status: Command = {
  name: 'master-key status',
  positionals: [],
  options: {},
  summary: 'Shows the check values of the master keys, and how far a rotation is.',
  prepare: () => async (admin) => {
    const found = await admin.masterKey.status();
    return { json: jsonOf(found), text: textOf(found).join('\n') };
  },
};

const rotate: Command = {
  name: 'master-key rotate',
  positionals: [],
  options: {},
  summary:
    'Replaces the master key, and encrypts all secrets anew while the service runs. Continues after an interruption.',
  prepare: () => async (admin) => rotationOutput(await admin.masterKey.rotate()),
};

export const MASTER_KEY_COMMANDS: readonly Command[] = [status, rotate];

function rotationOutput(done: MasterKeyRotation): CommandOutput {
  if (done.step === 'key_written')
    return {
      json: { step: done.step, file: done.file },
      text: `A new key is the first line of ${done.file}, and the present one the second. Back the file up, restart the service, then run this again.`,
    };
  const { resealed, status: found, isInFile } = done;
  const next = isInFile
    ? 'Back up the file of the key.'
    : 'Remove MASTER_KEY_PREVIOUS at the next restart of the programs.';
  return {
    json: { step: done.step, resealed, ...jsonOf(found) },
    text: [`Encrypted ${resealed} secrets anew.`, ...textOf(found), next].join('\n'),
  };
}

function textOf({ present, earlier, wanted, secrets, unusedApiKeys }: MasterKeyStatus): string[] {
  const sum = (of: 'count' | 'remaining') => secrets.reduce((all, one) => all + one[of], 0);
  return [
    `Present key      ${present}`,
    `Wanted key       ${wanted ?? 'the present one'}`,
    `Earlier keys     ${earlier.length === 0 ? 'none' : earlier.join(', ')}`,
    ...(earlier.length === 0
      ? []
      : [`Secrets          ${sum('count') - sum('remaining')} of ${sum('count')} are encrypted with the present key`]),
    `API keys         ${unusedApiKeys} have not been used since the last rotation`,
  ];
}

const jsonOf = ({ present, earlier, wanted, secrets, unusedApiKeys }: MasterKeyStatus) => ({
  present,
  wanted,
  earlier,
  secrets,
  unused_api_keys: unusedApiKeys,
});

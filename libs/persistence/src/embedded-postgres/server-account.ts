import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';

/**
 * How the server is run. PostgreSQL refuses to run as root, so root either switches to an ordinary account, or enters a
 * user namespace in which it is seen as an ordinary account while it keeps its own rights on files.
 */
export type ServerAccount =
  { kind: 'own' } | { kind: 'switched'; uid: number; gid: number } | { kind: 'namespace'; wrapper: string[] };

/** 65534 is `nobody` everywhere: initdb wants an id that has a name. */
const NAMESPACE: ServerAccount = {
  kind: 'namespace',
  wrapper: ['unshare', '-U', '--map-user=65534', '--map-group=65534'],
};

/** An account, and whether it can run `program` and reach `folder`. Finding out by trying sees modes, ACLs, capabilities. */
export function canRun(account: ServerAccount, program: string, folder: string): boolean {
  const check = 'test -x "$1" && exec "$0" --version';
  const [command, ...args] = commandFor(account, ['/bin/sh', '-c', check, program, folder]);
  const { status } = spawnSync(command, args, { ...identityOf(account), cwd: '/', stdio: 'ignore' });
  return status === 0;
}

/**
 * The accounts that may be tried, best first. `owner` is who owns an existing cluster: whoever ran it before should go on
 * running it, so that no file changes hands.
 */
export function candidateAccounts(owner: number | null): ServerAccount[] {
  if (process.geteuid?.() !== 0) return hasName() ? [{ kind: 'own' }] : [NAMESPACE, { kind: 'own' }];
  const ordinary = owner !== null && owner !== 0 ? ordinaryOwner(owner) : unprivilegedAccount();
  if (ordinary === null) return [NAMESPACE];
  return owner === 0 ? [NAMESPACE, ordinary] : [ordinary, NAMESPACE];
}

/** `postgres` where the system has it, else `nobody`. */
export function unprivilegedAccount(): (ServerAccount & { kind: 'switched' }) | null {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => accounts.find((fields) => fields[0] === name)).find(Boolean);
  return found === undefined ? null : { kind: 'switched', uid: Number(found[2]), gid: Number(found[3]) };
}

export function commandFor(account: ServerAccount, command: string[]): string[] {
  return account.kind === 'namespace' ? [...account.wrapper, ...command] : command;
}

/** The part of the options of `spawn` that makes a child run as `account`. */
export function identityOf(account: ServerAccount): { uid?: number; gid?: number } {
  return account.kind === 'switched' ? { uid: account.uid, gid: account.gid } : {};
}

/** Who must own the server's files. */
export function ownerOf(account: ServerAccount): { uid: number; gid: number } {
  return account.kind === 'switched' ? account : { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

export function ownerOfFolder(folder: string): number | null {
  return statSync(folder, { throwIfNoEntry: false })?.uid ?? null;
}

function ordinaryOwner(uid: number): ServerAccount & { kind: 'switched' } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.split(':')[2] === String(uid));
  return { kind: 'switched', uid, gid: Number(line?.split(':')[3] ?? uid) };
}

/** A container may run us as an id that no account has. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

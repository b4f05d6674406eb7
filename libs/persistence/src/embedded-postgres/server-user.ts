import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';

/**
 * The user that runs the server. PostgreSQL refuses to run as root, so root either switches to an unprivileged user, or
 * enters a user namespace in which it appears as one but keeps its own access to files.
 */
export type ServerUser =
  | { kind: 'own' }
  | { kind: 'switched'; uid: number; gid: number }
  | { kind: 'namespace'; wrapper: string[] };

/** 65534 is `nobody` on every system: initdb needs an id with a name. */
const NAMESPACE: ServerUser = {
  kind: 'namespace',
  wrapper: ['unshare', '-U', '--map-user=65534', '--map-group=65534'],
};

/** Whether `user` can run `program` and access `folder`. Tried out, which covers modes, ACLs and capabilities. */
export function canRun(user: ServerUser, program: string, folder: string): boolean {
  const check = 'test -x "$1" && exec "$0" --version';
  const [command, ...args] = commandFor(user, ['/bin/sh', '-c', check, program, folder]);
  const { status } = spawnSync(command, args, { ...spawnIdentity(user), cwd: '/', stdio: 'ignore' });
  return status === 0;
}

/** Users to try, best first. `owner` is the owner of an existing cluster, who is preferred: no file changes its owner then. */
export function candidateUsers(owner: number | null): ServerUser[] {
  if (process.geteuid?.() !== 0) return hasName() ? [{ kind: 'own' }] : [NAMESPACE, { kind: 'own' }];
  const unprivileged = owner !== null && owner !== 0 ? userOf(owner) : unprivilegedUser();
  if (unprivileged === null) return [NAMESPACE];
  return owner === 0 ? [NAMESPACE, unprivileged] : [unprivileged, NAMESPACE];
}

/** `postgres` where that user exists, otherwise `nobody`. */
export function unprivilegedUser(): (ServerUser & { kind: 'switched' }) | null {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find((fields) => fields[0] === name)).find(Boolean);
  return found === undefined ? null : { kind: 'switched', uid: Number(found[2]), gid: Number(found[3]) };
}

export function commandFor(user: ServerUser, command: string[]): string[] {
  return user.kind === 'namespace' ? [...user.wrapper, ...command] : command;
}

/** Options of `spawn` that run a child as `user`. */
export function spawnIdentity(user: ServerUser): { uid?: number; gid?: number } {
  return user.kind === 'switched' ? { uid: user.uid, gid: user.gid } : {};
}

/** The owner that the files of the server must have. */
export function ownerOf(user: ServerUser): { uid: number; gid: number } {
  return user.kind === 'switched' ? user : { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

export function ownerOfFolder(folder: string): number | null {
  return statSync(folder, { throwIfNoEntry: false })?.uid ?? null;
}

function userOf(uid: number): ServerUser & { kind: 'switched' } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.split(':')[2] === String(uid));
  return { kind: 'switched', uid, gid: Number(line?.split(':')[3] ?? uid) };
}

/** A container may run this process under an id without a name. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

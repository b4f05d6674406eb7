import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, lchownSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canRun, candidateAccounts, ownerOf, ownerOfFolder, unprivilegedAccount } from './server-account.js';
import type { ServerAccount } from './server-account.js';
import { binariesAt, type ServerBinaries } from './server-binaries.js';

/** Where a server's files are and who runs it. */
export interface ServerPlace {
  account: ServerAccount;
  binaries: ServerBinaries;
  /** `DATA_DIR/postgres`, links resolved; holds cluster, password and socket. */
  home: string;
  /** Whether the files are outside DATA_DIR, behind a link. */
  moved: boolean;
}

const ELSEWHERE = '/var/lib/postloft';

/**
 * Decides by whom and where the server runs, and makes its folder. Root's way to a folder that ordinary accounts cannot
 * reach (its home, a 0700 folder) is a user namespace; where the system forbids those, the files live below
 * /var/lib/postloft and `DATA_DIR/postgres` is a link to them.
 */
export function prepareServerPlace(dataDir: string, binaries: ServerBinaries): ServerPlace {
  const link = join(dataDir, 'postgres');
  const existing = existsSync(link) ? realpathSync(link) : null;
  const reach = existing === null ? realpathSync(dataDir) : dirname(existing);
  const owner = existing === null ? null : ownerOfFolder(join(existing, 'cluster'));
  const account = candidateAccounts(owner).find((candidate) => canRun(candidate, binaries.postgres, reach));
  if (account === undefined) return movedPlace(dataDir, binaries);
  mkdirSync(link, { recursive: true, mode: 0o700 });
  const home = realpathSync(link);
  own(home, account);
  return { account, binaries, home, moved: home !== join(realpathSync(dataDir), 'postgres') };
}

function movedPlace(dataDir: string, binaries: ServerBinaries): ServerPlace {
  const account = process.geteuid?.() === 0 ? unprivilegedAccount() : null;
  if (account === null || !canRun(account, '/bin/true', '/'))
    throw new Error(
      'The embedded PostgreSQL cannot run as root, and no other account can be used here: start Postloft as an ' +
        'ordinary user, or set DATABASE_URL to a PostgreSQL server.',
    );
  mkdirSync(ELSEWHERE, { recursive: true, mode: 0o755 });
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
  const home = join(ELSEWHERE, name);
  moveHome(join(dataDir, 'postgres'), home);
  own(home, account);
  const usable = canRun(account, binaries.postgres, home) ? binaries : copyBinaries(binaries);
  return { account, binaries: usable, home, moved: true };
}

function moveHome(link: string, home: string): void {
  if (existsSync(link) && realpathSync(link) === home) return;
  if (existsSync(link)) {
    const incoming = `${home}.incoming`;
    rmSync(incoming, { recursive: true, force: true });
    rmSync(join(link, 'run'), { recursive: true, force: true }); // sockets cannot be copied
    cpSync(link, incoming, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    renameSync(incoming, home);
    renameSync(link, `${link}.before-move`);
  } else {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    rmSync(link, { force: true }); // a link whose target was removed
  }
  symlinkSync(home, link);
}

function copyBinaries(binaries: ServerBinaries): ServerBinaries {
  const tag = createHash('sha256').update(binaries.root).digest('hex').slice(0, 8);
  const target = join(ELSEWHERE, `postgresql-${binaries.major}-${tag}`);
  if (!existsSync(target)) {
    const incoming = mkdtempSync(`${target}.`);
    cpSync(binaries.root, join(incoming, 'native'), { recursive: true, verbatimSymlinks: true });
    renameSync(join(incoming, 'native'), target);
    rmSync(incoming, { recursive: true, force: true });
  }
  return binariesAt(target, binaries.major);
}

/** Hands the folder to the account when it belongs to someone else; done once, not at every start. */
function own(home: string, account: ServerAccount): void {
  const { uid, gid } = ownerOf(account);
  if (process.geteuid?.() !== 0) return;
  chownSync(home, uid, gid);
  const cluster = join(home, 'cluster');
  if (!existsSync(cluster) || ownerOfFolder(cluster) === uid) return;
  // The cluster itself comes last: until it has changed hands, the next start does all of this again.
  for (const entry of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    if (entry !== 'cluster') lchownSync(join(home, entry), uid, gid);
  }
  chownSync(cluster, uid, gid);
}

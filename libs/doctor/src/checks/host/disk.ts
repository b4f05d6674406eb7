import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hostResources } from '#libs/persistence';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

const GIB = 1024 ** 3;
const FEW_INODES = 0.1;
/** A query of the embedded statistics may take 1 GiB. */
const MIN_MEMORY = 2 * GIB;
const MIN_OPEN_FILES = 4_096;
/** By the magic numbers of statfs(2). */
const UNSUITABLE_FILE_SYSTEMS: Readonly<Record<number, { name: string; problem: string }>> = {
  0x01021994: { name: 'tmpfs', problem: 'it is memory, and empty after a restart of the machine' },
  0x858458f6: { name: 'ramfs', problem: 'it is memory, and empty after a restart of the machine' },
  0x6969: { name: 'NFS', problem: 'a database on a network file system loses data when the network fails' },
  0xff534d42: { name: 'CIFS', problem: 'a database on a network file system loses data when the network fails' },
  0xfe534d42: { name: 'SMB', problem: 'a database on a network file system loses data when the network fails' },
  0x794c7630: { name: 'overlayfs', problem: 'it belongs to a container, and is deleted with it' },
};

type Host = Awaited<ReturnType<typeof hostResources>>;

export const diskCheck: Check = {
  name: 'disk',
  title: 'Disk and memory',
  run: async (context) => {
    const folders = await foldersOf(context);
    const hosts = await Promise.all(folders.map(hostResources));
    const results = hosts.flatMap(({ disk }, i) => checkDisk(folders[i], disk));
    return [...results, checkMemory(context, hosts[0]), await checkOpenFiles(context)];
  },
};

/** The data directory, and the database directory if it is a link to another disk. */
async function foldersOf({ config }: CheckContext): Promise<string[]> {
  const data = config.dataDir;
  const deviceOf = (path: string) => stat(path).then(({ dev }) => dev);
  const database = await realpath(join(data, 'postgres')).catch(() => data);
  const isElsewhere = database !== data && (await deviceOf(database)) !== (await deviceOf(data));
  return isElsewhere ? [data, database] : [data];
}

function checkDisk(subject: string, disk: Host['disk']): Result[] {
  const { freeInodes, inodes, fileSystem } = disk;
  const unsuitable = UNSUITABLE_FILE_SYSTEMS[fileSystem];
  const share = disk.totalBytes === 0 ? 1 : disk.freeBytes / disk.totalBytes;
  const facts = {
    free_bytes: disk.freeBytes,
    free_share: Number(share.toFixed(3)),
    free_inodes: freeInodes,
    type: unsuitable?.name ?? fileSystem,
  };
  const results = [checkFreeSpace(subject, disk.level, facts)];
  if (inodes > 0 && freeInodes / inodes < FEW_INODES)
    results.push(
      warning({
        subject,
        message: `Only ${freeInodes} of ${inodes} inodes are free; each file takes one.`,
        fix: 'Find the folders with most files: du --inodes -x / | sort -n | tail',
        facts,
      }),
    );
  if (unsuitable !== undefined)
    results.push(
      warning({
        subject,
        message: `It lies on ${unsuitable.name}: ${unsuitable.problem}.`,
        fix: 'DATA_DIR=<a folder on a disk of this machine, or a volume>',
        facts,
      }),
    );
  return results;
}

function checkFreeSpace(
  subject: string,
  level: Host['disk']['level'],
  facts: { free_bytes: number; free_share: number },
): Result {
  const text = `${(facts.free_bytes / GIB).toFixed(1)} GiB (${Math.round(facts.free_share * 100)}%) are free`;
  const fix = `Free some space, or move DATA_DIR to a larger disk. The largest folders: du -xh --max-depth=2 ${subject} | sort -h | tail`;
  switch (level) {
    case 'error':
      return error({
        subject,
        message: `Only ${text}. The database stops when its disk is full, and with it all mail.`,
        fix,
        facts,
      });
    case 'warning':
      return warning({ subject, message: `Only ${text}.`, fix, facts });
    case 'ok':
      return ok({ subject, message: `${text}.`, facts });
  }
}

function checkMemory({ config }: CheckContext, { memoryBytes: total }: Host): Result {
  const facts = { total_bytes: total };
  const subject = 'memory';
  const isSmall = total < MIN_MEMORY && config.settings.CLICKHOUSE_URL === undefined;
  if (!isSmall) return ok({ subject, message: `${(total / GIB).toFixed(1)} GiB.`, facts });
  return warning({
    subject,
    message: `${(total / GIB).toFixed(1)} GiB is little for the service with an embedded database and embedded statistics.`,
    fix: 'Give the machine 2 GiB or more, or CLICKHOUSE_URL=<a server elsewhere>',
    facts,
  });
}

/** The limit of the running service if there is one; it may differ from that of this shell. */
async function checkOpenFiles({ config }: CheckContext): Promise<Result> {
  const pid = /^\d+/.exec(await readFile(`${config.dataDir}/lock`, 'utf8').catch(() => ''))?.[0];
  const ownLimits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const serviceLimits = pid === undefined ? '' : await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(serviceLimits || ownLimits)?.[1];
  const subject = serviceLimits === '' ? 'open files of this shell' : `open files of process ${pid}`;
  if (soft === undefined) return skipped({ subject, message: 'The system does not show the limit.' });
  const facts = { soft };
  if (soft !== 'unlimited' && Number(soft) < MIN_OPEN_FILES)
    return warning({
      subject,
      message: `Only ${soft} are allowed; every connection in and out takes one.`,
      fix: 'systemd: LimitNOFILE=65536 in the unit; a shell: ulimit -n 65536 before npm start',
      facts,
    });
  return ok({ subject, message: `${soft} are allowed.`, facts });
}

import { readFile, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { totalMemory } from '#libs/persistence';
import type { Check } from '../check.js';
import { error, ok, skipped, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';

const GIB = 1024 ** 3;
/** PostgreSQL stops for good when it cannot write its log (up to 1 GiB by default before it is reused). */
const FULL_BYTES = GIB;
const SCARCE_BYTES = 5 * GIB;
const SCARCE_SHARE = 0.1;
/** Embedded statistics alone may take 1 GiB for a query. */
const LITTLE_MEMORY = 2 * GIB;
const FEW_FILES = 4_096;
/** As statfs(2) names them. */
const TYPES: Readonly<Record<number, { name: string; problem: string }>> = {
  0x01021994: { name: 'tmpfs', problem: 'it is memory, and empty after a restart of the machine' },
  0x858458f6: { name: 'ramfs', problem: 'it is memory, and empty after a restart of the machine' },
  0x6969: { name: 'NFS', problem: 'a database on a network file system loses data when the network does' },
  0xff534d42: { name: 'CIFS', problem: 'a database on a network file system loses data when the network does' },
  0xfe534d42: { name: 'SMB', problem: 'a database on a network file system loses data when the network does' },
  0x794c7630: { name: 'overlayfs', problem: 'it belongs to a container, and goes with it' },
};

/** A full disk is the most common end of a mail server. */
export const diskCheck: Check = {
  name: 'disk',
  title: 'Disk and memory',
  asks: 'Is there room for the data, on a disk that keeps it, and enough memory and open files?',
  look: async (patient) => {
    const folders = await foldersOf(patient);
    const disks = await Promise.all(folders.map(lookAtFolder));
    return [...disks.flat(), ...judgeMemory(patient), await judgeFiles(patient)];
  },
};

/** The data directory, and the database where it lies on another disk: it may be a link. */
async function foldersOf({ config }: Patient): Promise<string[]> {
  const data = config.dataDir;
  const database = await realpath(join(data, 'postgres')).catch(() => data);
  const [one, other] = await Promise.all([data, database].map(async (path) => (await stat(await existing(path))).dev));
  return one === other ? [data] : [data, database];
}

async function lookAtFolder(subject: string): Promise<Remark[]> {
  const place = await existing(subject);
  const { bsize, blocks, bavail, files, ffree, type } = await statfs(place);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const facts = {
    free_bytes: free,
    free_share: Number(share.toFixed(3)),
    free_inodes: ffree,
    type: TYPES[type]?.name ?? type,
  };
  const remarks = [judgeRoom({ subject, free, share, facts })];
  if (files > 0 && ffree / files < SCARCE_SHARE)
    remarks.push(
      warning({
        subject,
        message: `Only ${ffree} of ${files} files more can be made there (inodes).`,
        fix: `Find what has so many: du --inodes -x / | sort -n | tail`,
        facts,
      }),
    );
  const kind = TYPES[type];
  if (kind !== undefined)
    remarks.push(
      warning({
        subject,
        message: `It lies on ${kind.name}: ${kind.problem}.`,
        fix: 'DATA_DIR=<a folder on a disk of this machine, or a volume>',
        facts,
      }),
    );
  return remarks;
}

interface Room {
  subject: string;
  free: number;
  share: number;
  facts: Record<string, unknown>;
}

function judgeRoom({ subject, free, share, facts }: Room): Remark {
  const text = `${(free / GIB).toFixed(1)} GiB (${Math.round(share * 100)} %) are free`;
  const fix = `Make room, or move DATA_DIR to a larger disk. What is large: du -xh --max-depth=2 ${subject} | sort -h | tail`;
  if (free < FULL_BYTES)
    return error({
      subject,
      message: `Only ${text}. The database stops when its disk is full, and with it all mail.`,
      fix,
      facts,
    });
  if (free < SCARCE_BYTES || share < SCARCE_SHARE) return warning({ subject, message: `Only ${text}.`, fix, facts });
  return ok({ subject, message: `${text}.`, facts });
}

/** A data directory that is not made yet will lie where its parent does. */
async function existing(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : existing(dirname(path));
}

function judgeMemory({ config }: Patient): Remark[] {
  const total = totalMemory();
  const facts = { total_bytes: total };
  const subject = 'memory';
  const isSmall = total < LITTLE_MEMORY && config.settings.CLICKHOUSE_URL === undefined;
  if (!isSmall) return [ok({ subject, message: `${(total / GIB).toFixed(1)} GiB.`, facts })];
  return [
    warning({
      subject,
      message: `${(total / GIB).toFixed(1)} GiB are little for the service with its own database and statistics in one machine.`,
      fix: 'Give it 2 GiB or more, or CLICKHOUSE_URL=<a server elsewhere>',
      facts,
    }),
  ];
}

/** Of the running service where there is one: its limit may differ from that of this shell. */
async function judgeFiles({ config }: Patient): Promise<Remark> {
  const pid = /^\d+/.exec(await readFile(`${config.dataDir}/lock`, 'utf8').catch(() => ''))?.[0];
  const own = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const theirs = pid === undefined ? '' : await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(theirs || own)?.[1];
  const subject = theirs === '' ? 'open files of this shell' : `open files of process ${pid}`;
  if (soft === undefined) return skipped({ subject, message: 'The system does not tell how many are allowed.' });
  const facts = { soft };
  if (soft !== 'unlimited' && Number(soft) < FEW_FILES)
    return warning({
      subject,
      message: `Only ${soft} are allowed; every connection in and out takes one.`,
      fix: 'systemd: LimitNOFILE=65536 in the unit; a shell: ulimit -n 65536 before npm start',
      facts,
    });
  return ok({ subject, message: `${soft} are allowed.`, facts });
}

import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type ListenOptions } from 'node:net';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerOf } from './server-user.js';
import type { ServerDirectory } from './server-directory.js';

/** How clients connect to the server; stays the same when the server is restarted. */
export interface ServerAddress {
  settings: Record<string, string>;
  url(credentials: { user: string; password: string; database: string }): string;
}

/** A socket path has at most 107 bytes, including `/.s.PGSQL.5432`. */
const MAX_FOLDER_BYTES = 90;
const SOCKET_PORT = 5432;

/**
 * A Unix socket where the path is short enough and the file system supports one, so that nothing listens on the network;
 * otherwise a TCP port on the loopback address.
 */
export async function chooseAddress(directory: ServerDirectory): Promise<ServerAddress> {
  for (const folder of socketFolders(directory.path)) {
    if (makePrivate(folder, directory) && (await canListen({ path: join(folder, 'probe') })))
      return socketAddress(folder);
  }
  return tcpAddress(await freePort());
}

function socketFolders(directory: string): string[] {
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const folders = [join(directory, 'run'), join(tmpdir(), `postloft-${name}`), join('/tmp', `postloft-${name}`)];
  return folders.filter((folder) => Buffer.byteLength(folder) <= MAX_FOLDER_BYTES);
}

/** The name of the folder below /tmp can be guessed: a folder of another user is never used. */
function makePrivate(folder: string, directory: ServerDirectory): boolean {
  const { uid, gid } = ownerOf(directory.user);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (!found.isDirectory() || ![uid, process.geteuid?.()].includes(found.uid)) return false;
    chmodSync(folder, 0o700);
    if (found.uid !== uid) chownSync(folder, uid, gid);
    return true;
  } catch {
    return false;
  }
}

function socketAddress(folder: string): ServerAddress {
  return {
    settings: {
      listen_addresses: '',
      unix_socket_directories: `"${folder.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
      port: String(SOCKET_PORT),
    },
    url: ({ user, password, database }) =>
      `postgres://${user}:${password}@localhost:${SOCKET_PORT}/${database}?host=${encodeURIComponent(folder)}`,
  };
}

function tcpAddress(port: number): ServerAddress {
  return {
    settings: { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) },
    url: ({ user, password, database }) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
  };
}

/** Below the range of ports for outgoing connections. */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(15_000, 32_000);
    if (await canListen({ port, host: '127.0.0.1' })) return port;
  }
  throw new Error('No TCP port on 127.0.0.1 is free for the embedded PostgreSQL.');
}

function canListen(where: ListenOptions): Promise<boolean> {
  if (where.path !== undefined) rmSync(where.path, { force: true });
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(where, () => server.close(() => resolve(true)));
  });
}

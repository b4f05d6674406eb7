import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';

/** Blocks its thread while it listens, so that no connection leaves the queues. */
const LISTEN = `
const { parentPort, workerData } = require('node:worker_threads');
const net = require('node:net');
const listen = (host) => new Promise((resolve) =>
  net.createServer().listen({ host, port: workerData.port, backlog: 1 }, resolve));
Promise.all(workerData.hosts.map(listen)).then(() => {
  parentPort.postMessage('listening');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
/** A queue has room for one connection more than its length; the others wait for a place. */
const QUEUED = 2;
const FILLERS = 4;

/** Servers whose queues of new connections are full: the kernel answers no further SYN. */
export async function deafHosts(hosts: readonly string[], port: number): Promise<{ close(): Promise<void> }> {
  const worker = new Worker(LISTEN, { eval: true, workerData: { hosts, port } });
  await once(worker, 'message');
  const fillers = await Promise.all(
    hosts.map(async (host) => {
      const sockets = Array.from({ length: FILLERS }, () => net.connect(port, host).on('error', () => undefined));
      let open = 0;
      await new Promise<void>((resolve) =>
        sockets.forEach((socket) => socket.once('connect', () => (open += 1) === QUEUED && resolve())),
      );
      return sockets;
    }),
  );
  return {
    close: async () => {
      for (const socket of fillers.flat()) socket.destroy();
      await worker.terminate();
    },
  };
}

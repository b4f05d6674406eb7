import dgram from 'node:dgram';
import net from 'node:net';
import dnsPacket from 'dns-packet';
import type { DecodedPacket } from 'dns-packet';

/** One name server. */
export interface ServerAddress {
  address: string;
  port: number;
}

/** Parses `ip`, `ip:port` or `[v6]:port`, as in DNS_SERVERS. */
export function parseServer(server: string): ServerAddress {
  const [, v6, v6Port] = /^\[(.*)\](?::(\d+))?$/.exec(server) ?? [];
  if (v6 !== undefined) return { address: v6, port: Number(v6Port ?? 53) };
  const [address, port] = net.isIPv6(server) ? [server] : server.split(':');
  return { address, port: Number(port ?? 53) };
}

/** Sends one query over UDP, from a socket that receives from this server only. Rejects after `timeoutMs`. */
export function exchangeUdp(server: ServerAddress, query: Buffer, timeoutMs: number): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIPv6(server.address) ? 'udp6' : 'udp4');
    const timer = setTimeout(() => end(() => reject(new Error('no answer in time'))), timeoutMs);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.close();
      socket.removeAllListeners('message');
      settle();
    };
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (message) => {
      const packet = answerTo(query, message);
      // A message that does not match may be forged to make us give up: ignore it.
      if (packet !== null) end(() => resolve(packet));
    });
    socket.connect(server.port, server.address, () => socket.send(query));
  });
}

/** The same over TCP, for answers that do not fit into a datagram (RFC 7766). */
export function exchangeTcp(server: ServerAddress, query: Buffer, timeoutMs: number): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: server.address, port: server.port });
    const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), timeoutMs);
    let received: Buffer = Buffer.alloc(0);
    socket.once('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length);
      socket.write(Buffer.concat([length, query]));
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const packet = answerTo(query, received.subarray(2, 2 + received.readUInt16BE(0)));
      if (packet === null) socket.destroy(new Error('the answer does not fit the question'));
      else resolve(packet);
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the name server closed the connection'));
    });
  });
}

/** Null unless the message answers this query. */
function answerTo(query: Buffer, message: Buffer): DecodedPacket | null {
  try {
    const asked = dnsPacket.decode(query);
    const packet = dnsPacket.decode(message);
    const [wanted] = asked.questions ?? [];
    const question = packet.questions?.[0];
    const fits =
      packet.flag_qr &&
      packet.id === asked.id &&
      question?.type === wanted.type &&
      question.name.toLowerCase() === wanted.name.toLowerCase();
    return fits ? packet : null;
  } catch {
    return null;
  }
}

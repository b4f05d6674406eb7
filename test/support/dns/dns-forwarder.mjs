// The DNS server of the shared services, in a process of its own. A test file answers for its own zones: questions below
// a registered zone are forwarded to the LocalDns of that file, all others are answered NXDOMAIN.
//
// Messages from the parent: { id, zone, port } registers a zone, port null removes it; { id } is sent back when done.
import dgram from 'node:dgram';
import net from 'node:net';
import dnsPacket from 'dns-packet';

/** A file that closed its LocalDns without an answer must not keep a socket open. */
const FORWARD_MS = 15_000;
const zones = new Map();

const tcp = net.createServer((socket) => serveTcp(socket));
await listen(tcp);
const { port } = tcp.address();
const udp = dgram.createSocket('udp4');
udp.on('message', (query, client) => {
  const target = targetOf(query);
  if (target === undefined) udp.send(unknownName(query), client.port, client.address);
  else forwardUdp(query, target, (reply) => udp.send(reply, client.port, client.address));
});
udp.bind(port, '127.0.0.1', () => process.send({ port }));

process.on('message', ({ id, zone, port: target }) => {
  if (target === null) zones.delete(zone);
  else zones.set(zone, target);
  process.send({ id });
});
process.on('disconnect', () => process.exit());

/** The port of the longest registered zone that the question is in. */
function targetOf(query) {
  const name = dnsPacket.decode(query).questions[0].name.toLowerCase();
  const labels = name.split('.');
  for (let i = 0; i < labels.length; i += 1) {
    const target = zones.get(labels.slice(i).join('.'));
    if (target !== undefined) return target;
  }
  return undefined;
}

function unknownName(query) {
  const { id, questions } = dnsPacket.decode(query);
  const NXDOMAIN = 3;
  const data = {
    mname: 'ns.test',
    rname: 'hostmaster.test',
    serial: 1,
    refresh: 60,
    retry: 60,
    expire: 60,
    minimum: 1,
  };
  return dnsPacket.encode({
    type: 'response',
    id,
    flags: dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | NXDOMAIN,
    questions,
    authorities: [{ type: 'SOA', name: questions[0].name, ttl: 1, data }],
  });
}

function forwardUdp(query, target, answer) {
  const socket = dgram.createSocket('udp4');
  const timer = setTimeout(() => finish(), FORWARD_MS);
  const finish = (reply) => {
    clearTimeout(timer);
    socket.close();
    if (reply !== undefined) answer(reply);
  };
  socket.once('message', finish);
  socket.once('error', () => finish());
  socket.connect(target, '127.0.0.1', () => socket.send(query));
}

/** RFC 1035 §4.2.2: each message has its length in front. One connection may ask several files. */
function serveTcp(socket) {
  let pending = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const framed = pending.subarray(0, 2 + pending.readUInt16BE(0));
      pending = pending.subarray(framed.length);
      const target = targetOf(framed.subarray(2));
      if (target === undefined) socket.write(withLength(unknownName(framed.subarray(2))));
      else forwardTcp(framed, target, socket);
    }
  });
}

function forwardTcp(framed, target, client) {
  const upstream = net.connect(target, '127.0.0.1', () => upstream.write(framed));
  upstream.setTimeout(FORWARD_MS, () => upstream.destroy());
  upstream.on('error', () => upstream.destroy());
  let reply = Buffer.alloc(0);
  upstream.on('data', (chunk) => {
    reply = Buffer.concat([reply, chunk]);
    if (reply.length < 2 || reply.length < 2 + reply.readUInt16BE(0)) return;
    if (client.writable) client.write(reply);
    upstream.destroy();
  });
}

function withLength(message) {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function listen(server) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

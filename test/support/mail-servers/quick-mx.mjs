// A worker: a mail server with STARTTLS whose answers do not wait for the event loop of whoever sends to it.
// workerData: { key, cert, dot: 'answer' | 'answer and close' | 'say goodbye' | 'close' | 'reset before it' }. Posts its
// port, then the octets of each mail.
import net from 'node:net';
import { TLSSocket } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';

const { key, cert, dot } = workerData;
const END = Buffer.from('\r\n.\r\n');

function talk(line, socket) {
  let content = null;
  let commands = '';
  const answer = (command) => {
    if (/^EHLO/i.test(command)) return socket ? '250-quick.test\r\n250 STARTTLS\r\n' : '250 quick.test\r\n';
    if (/^DATA/i.test(command)) content = [];
    return content === null ? '250 2.0.0 ok\r\n' : '354 go on\r\n';
  };
  const onCommands = (octets) => {
    commands += octets.toString('latin1');
    for (let at = commands.indexOf('\r\n'); at >= 0; at = commands.indexOf('\r\n')) {
      const command = commands.slice(0, at);
      commands = commands.slice(at + 2);
      if (/^STARTTLS/i.test(command)) {
        line.removeListener('data', onData);
        line.write('220 go on\r\n');
        talk(new TLSSocket(line, { isServer: true, key, cert }), null);
        return;
      }
      line.write(answer(command), () => {
        if (content !== null && dot === 'reset before it') lines.at(-1)?.resetAndDestroy();
      });
    }
  };
  const onEnd = () => {
    parentPort.postMessage({ octets: content.reduce((sum, { length }) => sum + length, 0) });
    content = null;
    if (dot !== 'close') line.write(dot === 'say goodbye' ? '421 4.7.0 enough of you\r\n' : '250 2.0.0 taken\r\n');
    if (dot !== 'answer') line.end();
  };
  const onData = (octets) => {
    if (content === null) return onCommands(octets);
    content.push(octets);
    if (Buffer.concat(content.slice(-2)).subarray(-END.length).equals(END)) onEnd();
  };
  line.on('data', onData);
  line.on('error', () => undefined);
}

/** @type {net.Socket[]} */
const lines = [];
const server = net.createServer((socket) => {
  lines.push(socket);
  socket.setNoDelay(true);
  socket.write('220 quick.test\r\n');
  talk(socket, socket);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));

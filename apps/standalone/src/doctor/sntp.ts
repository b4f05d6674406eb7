import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import net from 'node:net';

/** NTP version 4, client (RFC 5905 §7.3). */
const CLIENT = 0x23;
const SERVER_MODE = 4;
const PACKET_BYTES = 48;
/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH_S = 2_208_988_800;
const LIMIT_MS = 3_000;

/** Milliseconds that the server's clock is ahead of ours, known to half of `delayMs`. */
export interface ClockOffset {
  aheadMs: number;
  delayMs: number;
}

/** One question to one time server (RFC 5905 §14). @throws when it does not answer in time, or says that it does not know */
export function askTime({ address, port }: { address: string; port: number }): Promise<ClockOffset> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIPv6(address) ? 'udp6' : 'udp4');
    const nonce = randomBytes(8);
    const question = Buffer.alloc(PACKET_BYTES);
    question[0] = CLIENT;
    // RFC 4330 §5 lets this be anything, and sends it back: a forger cannot guess it.
    nonce.copy(question, 40);
    let sentAt = 0;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.close();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('no answer in time'))), LIMIT_MS);
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (answer) => {
      const heardAt = Date.now();
      if (answer.length < PACKET_BYTES || !answer.subarray(24, 32).equals(nonce)) return;
      end(() =>
        isTrusted(answer) ? resolve(offsetOf(answer, sentAt, heardAt)) : reject(new Error('it does not know the time')),
      );
    });
    socket.connect(port, address, () => {
      sentAt = Date.now();
      socket.send(question);
    });
  });
}

/** RFC 4330 §5: mode, leap indicator 3 and stratum 0 (a kiss of death) say that the rest means nothing. */
const isTrusted = (answer: Buffer): boolean =>
  (answer[0] & 7) === SERVER_MODE && answer[0] >> 6 !== 3 && answer[1] > 0 && answer[1] < 16;

function offsetOf(answer: Buffer, sentAt: number, heardAt: number): ClockOffset {
  const [received, sent] = [timestamp(answer, 32), timestamp(answer, 40)];
  return { aheadMs: (received - sentAt + (sent - heardAt)) / 2, delayMs: heardAt - sentAt - (sent - received) };
}

/** Milliseconds since 1970; seconds begin anew in 2036 (RFC 5905 §6). */
function timestamp(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at);
  const era = seconds < 0x8000_0000 ? 2 ** 32 : 0;
  return (seconds + era - EPOCH_S) * 1000 + (packet.readUInt32BE(at + 4) / 2 ** 32) * 1000;
}

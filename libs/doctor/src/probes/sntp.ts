import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import net from 'node:net';

/** NTP version 4, client (RFC 5905 §7.3). */
const CLIENT = 0x23;
const SERVER_MODE = 4;
const PACKET_BYTES = 48;
/** Seconds from the epoch of NTP, 1900, to 1970. */
const EPOCH_S = 2_208_988_800;
const TIMEOUT_MS = 3_000;

/** The precision is half of `delayMs`. */
export interface ClockOffset {
  /** Of the server's clock to ours, in milliseconds. */
  aheadMs: number;
  delayMs: number;
}

/** Queries one time server (RFC 5905 §14). @throws when it does not answer in time or is not synchronised itself */
export function queryTime({ address, port }: { address: string; port: number }): Promise<ClockOffset> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIPv6(address) ? 'udp6' : 'udp4');
    const nonce = randomBytes(8);
    const request = Buffer.alloc(PACKET_BYTES);
    request[0] = CLIENT;
    // The server returns this field (RFC 4330 §5), so that a forged answer can be told from its own.
    nonce.copy(request, 40);
    let sentAt = 0;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.close();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('no answer in time'))), TIMEOUT_MS);
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (answer) => {
      const receivedAt = Date.now();
      if (answer.length < PACKET_BYTES || !answer.subarray(24, 32).equals(nonce)) return;
      end(() =>
        isSynchronised(answer)
          ? resolve(offsetOf(answer, sentAt, receivedAt))
          : reject(new Error('it does not know the time')),
      );
    });
    socket.connect(port, address, () => {
      sentAt = Date.now();
      socket.send(request);
    });
  });
}

/** RFC 4330 §5: the times are valid in server mode, without leap indicator 3, and with a stratum from 1 to 15. */
const isSynchronised = (answer: Buffer): boolean =>
  (answer[0] & 7) === SERVER_MODE && answer[0] >> 6 !== 3 && answer[1] > 0 && answer[1] < 16;

function offsetOf(answer: Buffer, sentAt: number, receivedAt: number): ClockOffset {
  const [arrivedThere, leftThere] = [timestamp(answer, 32), timestamp(answer, 40)];
  return {
    aheadMs: (arrivedThere - sentAt + (leftThere - receivedAt)) / 2,
    delayMs: receivedAt - sentAt - (leftThere - arrivedThere),
  };
}

/** Milliseconds since 1970. The seconds of NTP wrap in 2036 (RFC 5905 §6). */
function timestamp(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at);
  const era = seconds < 0x8000_0000 ? 2 ** 32 : 0;
  return (seconds + era - EPOCH_S) * 1000 + (packet.readUInt32BE(at + 4) / 2 ** 32) * 1000;
}

import dgram from 'node:dgram';

const EPOCH_S = 2_208_988_800;

/** A time server (RFC 5905) on loopback whose clock is as wrong as it is told. */
export class TimeServer {
  aheadMs = 0;
  /** Answers nothing. */
  isSilent = false;
  /** 0 is a kiss of death. */
  stratum = 2;

  private constructor(private readonly socket: dgram.Socket) {
    socket.on('message', (question, peer) => {
      if (!this.isSilent) socket.send(this.answer(question), peer.port, peer.address);
    });
  }

  static async start(): Promise<TimeServer> {
    const socket = dgram.createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new TimeServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }

  private answer(question: Buffer): Buffer {
    const answer = Buffer.alloc(48);
    answer[0] = 0x24;
    answer[1] = this.stratum;
    question.copy(answer, 24, 40, 48);
    const now = (Date.now() + this.aheadMs) / 1000 + EPOCH_S;
    for (const at of [32, 40]) {
      answer.writeUInt32BE(Math.floor(now) % 2 ** 32, at);
      answer.writeUInt32BE(Math.floor((now % 1) * 2 ** 32), at + 4);
    }
    return answer;
  }
}

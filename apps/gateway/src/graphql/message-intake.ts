import type { WebSocket } from 'ws';
import type { LiveSocket } from './live/live-socket.js';

interface Connection {
  socket: WebSocket;
  /** Set once the client is authenticated. */
  principal?: unknown;
}

/** Messages of a client before it is authenticated. The protocol needs one; clients may send pings beside it. */
const MESSAGES_BEFORE_LOGIN = 16;
export const TOO_MANY = 4429;

/**
 * Passes the messages of a client on while the client reads the answers. Otherwise the socket is not read either, so that
 * TCP stops the client: every message has an answer, and they would collect in the buffers of the connection. Answers to
 * control frames are limited by ws.
 */
export class MessageIntake {
  /** Messages that arrived together with the one after which the client was no longer read. */
  private readonly waiting: string[] = [];
  private beforeLogin = 0;

  constructor(
    private readonly connection: Connection,
    private readonly live: LiveSocket,
    private readonly take: (message: string) => void,
  ) {
    const { socket } = connection;
    socket.on('message', (data: Buffer) => this.receive(data));
    live.onDrained(() => this.passOn());
  }

  private receive(data: Buffer): void {
    const { socket, principal } = this.connection;
    // A connection that is being closed takes no more messages.
    if (!isOpen(socket)) return;
    if (principal === undefined && ++this.beforeLogin > MESSAGES_BEFORE_LOGIN)
      return socket.close(TOO_MANY, `At most ${MESSAGES_BEFORE_LOGIN} messages before connection_ack`);
    this.waiting.push(data.toString('utf8'));
    this.passOn();
  }

  private passOn(): void {
    const { socket } = this.connection;
    while (this.waiting.length > 0 && this.live.isWritable()) this.take(this.waiting.shift() ?? '');
    if (isOpen(socket) && !this.live.isWritable()) return socket.pause();
    if (!isOpen(socket)) this.waiting.length = 0;
    if (socket.isPaused) socket.resume();
  }
}

const isOpen = (socket: WebSocket): boolean => socket.readyState === socket.OPEN;

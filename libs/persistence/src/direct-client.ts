import pg from 'pg';
import { bindMessage, type Binding } from './bind-message.js';

/** What this part uses of a client's connection; the client's types do not tell of it. */
interface Wire {
  stream: { writable: boolean; write(data: Buffer): boolean };
  bind(binding: Binding): void;
}

/** The client, but for parameters: they go to the socket without copies in between (see `bindMessage`). */
export class DirectClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Wire };
    // The client corks the socket around a statement, so that all its pieces leave in one write.
    connection.bind = (binding) => {
      const pieces = bindMessage(binding);
      if (connection.stream.writable) for (const piece of pieces) connection.stream.write(piece);
    };
  }
}

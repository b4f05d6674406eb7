import pg from 'pg';

/** Private members of the client's connection that are used here. */
interface Connection {
  stream: { destroy(error: Error): void };
  on(event: 'errorMessage', listener: (error: ServerError) => void): void;
  on(event: 'readyForQuery', listener: () => void): void;
}

/** An error that the server reports, for a statement or for the connection. */
export interface ServerError {
  /** SQLSTATE (PostgreSQL, appendix A). */
  code?: string;
  message: string;
}

/** Told about the connections of a pool. */
export interface ConnectionObserver {
  /** Why opening a connection is not worth trying now; null: it is. */
  connectProblem(): Error | null;
  opened(client: pg.Client): void;
  closed(client: pg.Client): void;
  /** A statement has been answered, with a result or an error. */
  answered(): void;
  serverError(error: ServerError): void;
}

const connectionOf = (client: pg.Client): Connection => (client as unknown as { connection: Connection }).connection;

/**
 * Ends the connection without waiting for the server; running and waiting statements fail with an error of the connection.
 */
export function cutConnection(client: pg.Client, reason: Error): void {
  connectionOf(client).stream.destroy(reason);
}

/** The class of the clients of one pool, whose connections are observed. */
export function observedClient(observer: ConnectionObserver): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const connection = connectionOf(this);
      connection.on('errorMessage', (error) => observer.serverError(error));
      connection.on('readyForQuery', () => observer.answered());
      this.once('end', () => observer.closed(this));
    }

    /** The pool passes a callback. */
    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | void {
      const problem = observer.connectProblem();
      if (problem === null) {
        observer.opened(this);
        return callback === undefined ? (super.connect() as unknown as Promise<this>) : super.connect(callback);
      }
      if (callback === undefined) return Promise.reject(problem);
      process.nextTick(callback, problem);
    }
  };
}

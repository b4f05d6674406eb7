import type { Connection, PoolClient, Submittable } from 'pg';

/** What `pg` calls on the active query, beyond its types. */
interface CopyingQuery extends Submittable {
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

const noop = (): void => undefined;
/** Messages of the protocol that say nothing here. */
const IGNORED = {
  handleRowDescription: noop,
  handleDataRow: noop,
  handlePortalSuspended: noop,
  handleEmptyQuery: noop,
  handleCommandComplete: noop,
};

/**
 * Runs `COPY … TO STDOUT` and calls `take` with each row. While its promise is pending, nothing more is read from the
 * socket; rows that have been read already still come.
 */
export function copyOut(client: PoolClient, sql: string, take: (row: Buffer) => Promise<void> | null): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    let pending = 0;
    const query = {
      ...IGNORED,
      submit: (connection: Connection) => connection.query(sql),
      handleError: (error: Error) => (failure ??= error),
      handleCopyData: ({ chunk }: { chunk: Buffer }, connection: Connection) => {
        const busy = failure === undefined ? take(chunk) : null;
        if (busy === null) return;
        pending += 1;
        connection.stream.pause();
        busy
          .catch((error: Error) => (failure ??= error))
          .finally(() => {
            pending -= 1;
            if (pending === 0) connection.stream.resume();
          });
      },
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
    } satisfies CopyingQuery & Record<string, unknown>;
    client.query(query);
  });
}

/** Runs `COPY … FROM STDIN` with these bytes. @throws the error of the server, or of `chunks` */
export function copyIn(client: PoolClient, sql: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const send = async (connection: CopyConnection) => {
      try {
        for await (const chunk of chunks) {
          if (failure !== undefined) return;
          connection.sendCopyFromChunk(chunk);
          if (connection.stream.writableNeedDrain)
            await new Promise<void>((drained) => {
              connection.stream.once('drain', drained);
              connection.stream.once('close', drained);
            });
        }
        connection.endCopyFrom();
      } catch (error) {
        failure ??= error as Error;
        connection.sendCopyFail('the source cannot be read');
      }
    };
    const query = {
      ...IGNORED,
      submit: (connection: Connection) => connection.query(sql),
      handleError: (error: Error) => (failure ??= error),
      handleCopyInResponse: (connection: CopyConnection) => void send(connection),
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
    } satisfies CopyingQuery & Record<string, unknown>;
    client.query(query);
  });
}

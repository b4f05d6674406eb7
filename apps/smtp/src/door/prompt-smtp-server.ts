import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { checkCommands } from './commands.js';
import type { Connection } from './connection.js';
import { readDataFast } from './data-reader.js';
import { mendReplies } from './replies.js';

const UNAUTHENTICATED_MS = 60_000;

/**
 * smtp-server with some habits changed:
 * - the banner comes at once; the library waits 100 ms for early talkers, which caps a client that opens a connection
 *   per mail at ten mails a second (a submission port asks for a login anyway);
 * - AUTH is not offered before TLS and is answered 530 there. Disabling the command instead would make the library take
 *   MAIL FROM without a login: with AUTH disabled it assumes that none is needed;
 * - replies are put right by `mendReplies`, and what the library lets pass is refused by `checkCommands`;
 * - a connection that has not logged in after 60 s ends, however busily it talks;
 * - the data phase is read by `readDataFast`.
 */
export class PromptSmtpServer extends SMTPServer {
  constructor(options: SMTPServerOptions) {
    super(options);
    this.connections = new AdjustedConnections();
  }
}

/** The library puts each connection here before it begins; `init` is the moment between that and its first byte. */
class AdjustedConnections extends Set<Connection> {
  override add(connection: Connection): this {
    const createParser = connection._createParser.bind(connection);
    connection._createParser = () => readDataFast(createParser());
    // The first one was made before; STARTTLS begins another.
    if (connection._parser) readDataFast(connection._parser);
    const init = connection.init.bind(connection);
    connection.init = () => {
      init();
      mendReplies(connection);
      checkCommands(connection);
      if (!connection._server.options.authOptional) endWithoutLogin(connection);
      greetAtOnce(connection);
    };
    return super.add(connection);
  }
}

function endWithoutLogin(connection: Connection): void {
  const deadline = setTimeout(() => {
    if (!connection.session.user) connection.send(421, '4.4.2 Log in within 60 seconds');
  }, UNAUTHENTICATED_MS);
  deadline.unref();
  connection._socket.once('close', () => clearTimeout(deadline));
}

/** The library's own timer calls `connectionReady` too, 100 ms later: it must then find nothing to do. */
function greetAtOnce(connection: Connection): void {
  const ready = connection.connectionReady.bind(connection);
  let greeted = false;
  connection.connectionReady = (next) => {
    if (greeted) return;
    greeted = true;
    ready(next);
  };
  connection.connectionReady();
}

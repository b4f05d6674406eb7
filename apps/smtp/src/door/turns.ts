import { TurnGate } from '#libs/kernel';
import type { Connection } from './connection.js';

/** A handshake costs more than a mail: of many clients that come at once, one begins its own in a turn of the event loop. */
export const handshakes = new TurnGate(1);

/** Connections that are ended for being late: those that came at once are late at once. */
export const endings = new TurnGate(4);

/**
 * Commands of noisy clients, of all of them together, between two looks at everybody else. The wait costs such a client
 * hardly anything where nobody else is, and nothing is refused: who has only been clumsy goes on. Postfix delays the reply
 * to an error by a second; the turn does without a timer, and the connection of an attacker is gone as soon as before.
 */
export const noisyCommands = new TurnGate(1);

/** Whether a connection can still be answered when its turn comes; of one that is not, nobody waits for anything. */
export const isOpen = ({ _closing, _closed }: Connection): boolean => !_closing && !_closed;

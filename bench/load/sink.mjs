// Starts and controls the sink process.
import { end, nextMessage, startModule } from '../children.mjs';

const ANSWER_MS = 10_000;

/** @typedef {import('./smtp-sink.mjs').Arrivals & { unexpected: number, arrivedAt: number[] }} Report `arrivedAt`: milliseconds of the machine's clock, by number of the message */

export class Sink {
  /** @param {import('../children.mjs').Running} started @param {number} port */
  constructor(started, port) {
    this.started = started;
    this.port = port;
  }

  static async start() {
    const started = startModule(new URL('./smtp-sink.mjs', import.meta.url));
    const { port } = await nextMessage(started, (message) => message.port !== undefined, ANSWER_MS);
    return new Sink(started, port);
  }

  /**
   * Announces a run before its load begins.
   * @param {string} run @param {number} count @param {number} withinMs
   * @returns {Promise<{ complete: Promise<unknown> }>} `complete` resolves once all messages of the run have arrived.
   *   It is wrapped in an object, so that awaiting the announcement does not await the messages
   */
  async expect(run, count, withinMs) {
    const complete = nextMessage(this.started, (message) => message.complete === run, withinMs);
    complete.catch(() => undefined);
    const expecting = nextMessage(this.started, (message) => message.expecting === run, ANSWER_MS);
    this.started.child.send({ expect: { run, count } });
    await expecting;
    return { complete };
  }

  /** @param {string} run @param {boolean} [times] include the time of each arrival @returns {Promise<Report>} */
  async report(run, times = false) {
    const answer = nextMessage(this.started, (message) => message.report?.run === run, ANSWER_MS);
    this.started.child.send({ report: run, times });
    return (await answer).report;
  }

  stop() {
    return end(this.started.child);
  }
}

// HTTP load generator: posts distinct messages over persistent connections, one request in flight on each, and measures
// the latency of every response. It is a separate process, so that its CPU time is not counted for the server, and uses
// node:net, because an HTTP client library would take CPU time from the server on a small machine.
//   forked by bench/http-accept.mjs with one argument: HttpLoadOptions as JSON; sends one HttpLoadResult
import { connect } from 'node:net';
import { percentiles } from '../measure/percentiles.mjs';

/**
 * @typedef {object} HttpLoadOptions
 * @property {number} port on 127.0.0.1
 * @property {string} apiKey
 * @property {string} from address of an active domain
 * @property {string} run distinguishes the messages of this run from all others
 * @property {number} count
 * @property {number} inFlight connections, each with one request at a time
 * @property {number} bytes size of one request's JSON body
 */
/**
 * @typedef {object} HttpLoadResult
 * @property {number} accepted
 * @property {number} failed responses other than 2xx
 * @property {string | null} firstFailure
 * @property {number} seconds from the first byte sent to the last response
 * @property {number} startedAt milliseconds since the epoch
 * @property {import('../measure/percentiles.mjs').Percentiles} latency in milliseconds
 * @property {number} cpuSeconds of this load generator
 */

const HEAD_END = Buffer.from('\r\n\r\n');

/** @param {HttpLoadOptions} options */
export function requestMaker({ apiKey, from, run, bytes, port }) {
  /** @param {string} number @param {string} filler */
  const bodyOf = (number, filler) =>
    JSON.stringify({
      from: `Bench <${from}>`,
      to: [`reader-${number}@example.com`],
      subject: `Order ${number} of ${run}`,
      text: `Your order ${number} is on its way.`,
      html: `<p>Your order ${number} is on its way.</p><p>${filler}</p>`,
      tags: { run },
    });
  const filler = 'What you ordered, and when it comes. '.repeat(Math.ceil(bytes / 36));
  const fixed = bodyOf(padded(0), '').length;
  const cut = filler.slice(0, Math.max(0, bytes - fixed));
  const length = fixed + cut.length;
  const head = [
    'POST /emails HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    `Idempotency-Key: ${run}-`,
  ].join('\r\n');
  return (/** @type {number} */ index) => `${head}${padded(index)}\r\n\r\n${bodyOf(padded(index), cut)}`;
}

/** Fixed width, so that all bodies of a run have the same length. @param {number} index */
const padded = (index) => String(index).padStart(8, '0');

/** One connection; `request` resolves with the status once the complete response has arrived. */
class Connection {
  /** @type {Buffer} */ rest = Buffer.alloc(0);
  /** @type {{ resolve: (response: { status: number, text: string }) => void, reject: (error: Error) => void } | null} */
  waiting = null;

  /** @param {number} port */
  constructor(port) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.waiting?.reject(error));
    this.socket.on('close', () => this.waiting?.reject(new Error('the server closed the connection')));
  }

  /** @param {string} text @returns {Promise<{ status: number, text: string }>} */
  request(text) {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(text);
    });
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const headEnd = this.rest.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.rest.latin1Slice(0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const bodyStart = headEnd + HEAD_END.length;
    if (length === undefined) return this.waiting?.reject(new Error(`a response without a length: ${head}`));
    const end = bodyStart + Number(length);
    if (this.rest.length < end) return;
    const text = this.rest.latin1Slice(bodyStart, end);
    this.rest = this.rest.subarray(end);
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve({ status: Number(head.slice(9, 12)), text });
  }
}

/** @param {HttpLoadOptions} options @returns {Promise<HttpLoadResult>} */
export async function loadHttp(options) {
  const make = requestMaker(options);
  const latencies = new Float64Array(options.count);
  let next = 0;
  let failed = 0;
  /** @type {string | null} */ let firstFailure = null;
  const cpuBefore = process.cpuUsage();
  const startedAt = Date.now();
  const start = performance.now();
  const sendAll = async () => {
    const connection = new Connection(options.port);
    for (let index = next++; index < options.count; index = next++) {
      const before = performance.now();
      const { status, text } = await connection.request(make(index));
      latencies[index] = performance.now() - before;
      if (status >= 200 && status < 300) continue;
      failed += 1;
      firstFailure ??= `${status} ${text.slice(0, 300)}`;
    }
    connection.socket.end();
  };
  await Promise.all(Array.from({ length: options.inFlight }, sendAll));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    accepted: options.count - failed,
    failed,
    firstFailure,
    seconds,
    startedAt,
    latency: percentiles(latencies),
    cpuSeconds: (user + system) / 1e6,
  };
}

if (process.send && process.argv[1] === new URL(import.meta.url).pathname) {
  process.send(await loadHttp(JSON.parse(process.argv[2])));
  process.disconnect();
}

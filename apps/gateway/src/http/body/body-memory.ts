import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { LIMITS, Refusal } from '#libs/contracts';
import { clientNetwork, MemoryBudget, Metrics } from '#libs/kernel';
import type { FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import type { SizeLimit } from './body-limits.js';
import { readBytes } from './read-bytes.js';

/** Of all bodies together: two batches of the largest size, or hundreds of ordinary emails. */
const BODY_MEMORY = 2 * LIMITS.batchBytes;
/** Of all bodies of one account, and of one client network. */
const SHARE_MEMORY = LIMITS.batchBytes;
/** Shorter than the time-outs of most clients. */
const WAIT_MS = 10_000;
const RETRY_SECONDS = 5;

/**
 * Reads request bodies within a memory budget: in all, per account, and per client network. A body counts until the
 * response to its request is sent. A body without memory is not read on; after ten seconds its request is refused.
 */
@Injectable()
export class BodyMemory {
  private readonly budget = new MemoryBudget({ bytes: BODY_MEMORY, shareBytes: SHARE_MEMORY, waitMs: WAIT_MS });
  private readonly reservations = new WeakMap<FastifyRequest, ReturnType<MemoryBudget['open']>>();
  private readonly refusals: Counter<'reason'>;

  constructor({ registry }: Metrics) {
    const { budget } = this;
    new Gauge({
      name: 'postloft_http_body_bytes',
      help: 'Bytes of request bodies in memory.',
      registers: [registry],
      collect() {
        this.set(budget.usedBytes);
      },
    });
    this.refusals = new Counter({
      name: 'postloft_http_bodies_refused_total',
      help: 'Requests refused because their bodies found no memory in time, by the limit: overall or share.',
      labelNames: ['reason'],
      registers: [registry],
    });
  }

  /** @throws Refusal for the size; `service_unavailable` or `rate_limit_exceeded` if there is no memory */
  async read(request: FastifyRequest, payload: IncomingMessage, limit: SizeLimit): Promise<Buffer> {
    const reservation = this.budget.open(payload, sharesOf(request));
    this.reservations.set(request, reservation);
    try {
      const bytes = await readBytes(payload, limit, {
        take: (count) => this.refusalOf(this.budget.take(reservation, count)),
        release: () => this.budget.release(reservation),
      });
      this.budget.complete(reservation);
      return bytes;
    } catch (error) {
      this.budget.release(reservation);
      throw error;
    }
  }

  /** The request was processed. */
  release(request: FastifyRequest): void {
    const reservation = this.reservations.get(request);
    if (reservation) this.budget.release(reservation);
  }

  private refusalOf(shortage: ReturnType<MemoryBudget['take']>): Refusal | null {
    if (shortage === null) return null;
    this.refusals.inc({ reason: shortage });
    return shortage === 'overall' ? serverBusy() : tooMuchAtOnce();
  }
}

function sharesOf({ principal, ip }: FastifyRequest): string[] {
  const network = `network ${clientNetwork(ip)}`;
  return principal === null ? [network] : [network, `account ${principal.accountId}`];
}

const serverBusy = (): Refusal =>
  new Refusal('service_unavailable', [], 'The server is receiving too many large requests. Try again.', RETRY_SECONDS);

const tooMuchAtOnce = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    [],
    'Too many large requests of this account or from this address at once. Send fewer at a time.',
    RETRY_SECONDS,
  );

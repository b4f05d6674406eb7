import { Injectable } from '@nestjs/common';
import { newId, timeOfId, type sentences } from '#libs/contracts';
import { Config, Log, Metrics, databaseClock } from '#libs/kernel';
import { Counter, Histogram } from 'prom-client';
import { WebhookSecrets } from '../endpoints/secrets.js';
import { attemptOutcome, type AttemptOutcome } from './attempt-outcome.js';
import type { WebhookJob } from './claim.js';
import { WebhookHttpClient, type RequestResult } from './http-client.js';
import type { Settlement } from './settle.js';
import { signatureHeaders, svixHeaders } from './signature.js';
import { windowChange, type WindowChange } from './window.js';

/** An attempt to record, or one that our own stop interrupted and that does not count. */
export type AttemptResult = EndedAttempt | { kind: 'interrupted' };

export interface EndedAttempt {
  kind: 'ended';
  settlement: Settlement;
  endpointGone: boolean;
  /** What the answer says about the window of the endpoint. */
  window: WindowChange;
}

/** An answer within this part of WEBHOOK_TIMEOUT is prompt: the endpoint may get more requests at once. */
const PROMPT_PART = 1 / 3;

/** Makes one attempt of one delivery: signs, sends, and decides what follows. Writes nothing to the database. */
@Injectable()
export class WebhookAttempts {
  private readonly attempts: Counter<'outcome'>;
  private readonly latency: Histogram;
  private readonly lag: Histogram;

  constructor(
    private readonly client: WebhookHttpClient,
    private readonly secrets: WebhookSecrets,
    private readonly config: Config,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.attempts = new Counter({
      name: 'postloft_webhook_attempts_total',
      help: 'Webhook requests by outcome.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
    this.latency = new Histogram({
      name: 'postloft_webhook_response_seconds',
      help: 'Time from the start of a webhook request to the status line of its response.',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers: [metrics.registry],
    });
    this.lag = new Histogram({
      name: 'postloft_webhook_lag_seconds',
      help: 'Time from an event to the start of its first webhook request, per endpoint.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
      registers: [metrics.registry],
    });
  }

  /** Never throws. */
  async run(job: WebhookJob): Promise<AttemptResult> {
    const startedAt = databaseClock.date();
    const result = await this.send(job);
    if (result.kind === 'no_response' && result.failure === 'interrupted') return { kind: 'interrupted' };
    const attempt = job.attempts + 1;
    const outcome = attemptOutcome(result, {
      attempt: attempt - job.attemptsBeforeReplay,
      schedule: this.config.settings.WEBHOOK_RETRY_SCHEDULE,
    });
    this.attempts.inc({ outcome: outcome.kind });
    // Retries and replays are late on purpose.
    if (job.attempts === 0) this.lag.observe(Math.max(0, startedAt.getTime() - timeOfId(job.eventId).getTime()) / 1000);
    if (result.kind === 'response') this.latency.observe(result.latencyMs / 1000);
    const settlement = { ...toSettlement(job, result, outcome), startedAt };
    const level = outcome.kind === 'failed' || outcome.kind === 'endpoint_gone' ? 'info' : 'debug';
    this.log[level]('webhook attempt', {
      account: job.accountId,
      webhook: job.webhookId,
      event: job.eventId,
      attempt,
      outcome: outcome.kind,
      status: settlement.lastStatus,
      error: settlement.lastError,
      ms: settlement.latencyMs,
    });
    const promptMs = this.config.settings.WEBHOOK_TIMEOUT * PROMPT_PART;
    const window = windowChange(result, { window: job.window, inFlight: job.inFlight, promptMs });
    return { kind: 'ended', settlement, endpointGone: outcome.kind === 'endpoint_gone', window };
  }

  /** Aborts all requests in progress; their attempts are `interrupted`. */
  interrupt(): void {
    this.client.interrupt();
  }

  /** Closes the idle sockets. */
  close(): Promise<void> {
    return this.client.close();
  }

  private async send(job: WebhookJob): Promise<RequestResult> {
    const signed = { id: job.eventId, timestamp: Math.floor(databaseClock.now() / 1000), body: job.body };
    let signatures: Record<string, string>;
    try {
      signatures = signatureHeaders(this.secretsOf(job), signed);
    } catch (error) {
      this.log.error('a signing secret cannot be decrypted', error, { account: job.accountId, webhook: job.webhookId });
      return { kind: 'no_response', failure: 'secret_unreadable', latencyMs: 0 };
    }
    return this.client.post({
      url: job.url,
      body: job.body,
      headers: {
        ...signatures,
        ...(job.payloadFormat === 'resend' ? svixHeaders(signatures) : {}),
        'x-service-sequence': String(job.sequence),
        'x-service-attempt': String(job.attempts + 1),
      },
    });
  }

  private secretsOf({ webhookId, secretSealed, previousSecretSealed }: WebhookJob): string[] {
    return this.secrets.open({ webhookId, current: secretSealed, previous: previousSecretSealed });
  }
}

function toSettlement(job: WebhookJob, result: RequestResult, outcome: AttemptOutcome): Omit<Settlement, 'startedAt'> {
  const hasResponse = result.kind === 'response';
  return {
    id: job.id,
    fence: job.fence,
    attemptId: newId('atm'),
    status: statusAfter(outcome),
    delayMs: outcome.kind === 'retry' ? outcome.delayMs : null,
    lastStatus: hasResponse ? result.status : null,
    lastError: errorWord(result, outcome),
    latencyMs: result.latencyMs,
    response: hasResponse ? result.body : null,
  };
}

function statusAfter(outcome: AttemptOutcome): Settlement['status'] {
  switch (outcome.kind) {
    case 'delivered':
      return 'delivered';
    case 'retry':
      return 'pending';
    case 'failed':
    case 'endpoint_gone':
      return 'failed';
  }
}

type CallError = keyof typeof sentences.CALL_ERRORS;

/** A coarse word for the delivery log; null after a success. */
function errorWord(result: RequestResult, outcome: AttemptOutcome): CallError | null {
  if (result.kind === 'no_response') return result.failure === 'interrupted' ? null : result.failure;
  if (outcome.kind === 'delivered') return null;
  return result.status >= 300 && result.status < 400 ? 'redirect_not_followed' : 'status_not_2xx';
}

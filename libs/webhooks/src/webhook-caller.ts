import { Injectable } from '@nestjs/common';
import { newId } from '#libs/contracts';
import { Config, Log, Metrics } from '#libs/kernel';
import { Counter } from 'prom-client';
import type { WebhookJob } from './webhook-job.js';
import { WebhookPost, type PostResult } from './webhook-post.js';
import { WebhookSecrets } from './webhook-secrets.js';
import type { Settlement } from './webhook-settle.js';
import { signatureHeaders, svixHeaders } from './webhook-signature.js';
import { webhookVerdict, type WebhookVerdict } from './webhook-verdict.js';

/** How one attempt ended: to be written down, or interrupted by our own stop and not counted. */
export type Attempted = { kind: 'ended'; settlement: Settlement; endpointGone: boolean } | { kind: 'interrupted' };

/** One attempt of one delivery: sign anew, call, judge. Writes nothing down. */
@Injectable()
export class WebhookCaller {
  private readonly attempts: Counter<'outcome'>;

  constructor(
    private readonly webhookPost: WebhookPost,
    private readonly secrets: WebhookSecrets,
    private readonly config: Config,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.attempts = new Counter({
      name: 'postloft_webhook_attempts_total',
      help: 'Webhook calls by outcome',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  /** Never throws. */
  async attempt(job: WebhookJob): Promise<Attempted> {
    const startedAt = new Date();
    const result = await this.call(job);
    if (result.kind === 'unanswered' && result.failure === 'interrupted') return { kind: 'interrupted' };
    const attempt = job.attempts + 1;
    const verdict = webhookVerdict(result, {
      attempt: attempt - job.ladderBase,
      schedule: this.config.settings.WEBHOOK_RETRY_SCHEDULE,
    });
    this.attempts.inc({ outcome: verdict.kind });
    const settlement = { ...settlementOf(job, result, verdict), startedAt };
    this.log[verdict.kind === 'failed' || verdict.kind === 'endpoint_gone' ? 'info' : 'debug']('webhook called', {
      account: job.accountId,
      webhook: job.webhookId,
      event: job.eventId,
      attempt,
      verdict: verdict.kind,
      status: settlement.lastStatus,
      error: settlement.lastError,
      ms: settlement.latencyMs,
    });
    return { kind: 'ended', settlement, endpointGone: verdict.kind === 'endpoint_gone' };
  }

  /** Ends every call that runs; their attempts are `interrupted`. */
  interrupt(): void {
    this.webhookPost.interrupt();
  }

  /** Closes the sockets that are kept alive. */
  close(): Promise<void> {
    return this.webhookPost.close();
  }

  private async call(job: WebhookJob): Promise<PostResult> {
    const signed = { id: job.eventId, timestamp: Math.floor(Date.now() / 1000), body: job.body };
    let signatures: Record<string, string>;
    try {
      signatures = signatureHeaders(this.secretsOf(job), signed);
    } catch (error) {
      this.log.error('a signing secret cannot be read', error, { account: job.accountId, webhook: job.webhookId });
      return { kind: 'unanswered', failure: 'secret_unreadable', latencyMs: 0 };
    }
    return this.webhookPost.post({
      url: job.url,
      body: job.body,
      headers: {
        ...signatures,
        ...(job.flavour === 'resend' ? svixHeaders(signatures) : {}),
        'x-service-sequence': String(job.sequence),
        'x-service-attempt': String(job.attempts + 1),
      },
    });
  }

  private secretsOf({ webhookId, secretSealed, previousSecretSealed }: WebhookJob): string[] {
    return this.secrets.open({ webhookId, current: secretSealed, previous: previousSecretSealed });
  }
}

function settlementOf(job: WebhookJob, result: PostResult, verdict: WebhookVerdict): Omit<Settlement, 'startedAt'> {
  const answered = result.kind === 'answered';
  return {
    id: job.id,
    fence: job.fence,
    attemptId: newId('atm'),
    status: statusOf(verdict),
    delayMs: verdict.kind === 'retry' ? verdict.delayMs : null,
    lastStatus: answered ? result.status : null,
    lastError: errorOf(result, verdict),
    latencyMs: result.latencyMs,
    answer: answered ? result.answer : null,
  };
}

function statusOf(verdict: WebhookVerdict): Settlement['status'] {
  switch (verdict.kind) {
    case 'delivered':
      return 'delivered';
    case 'retry':
      return 'pending';
    case 'failed':
    case 'endpoint_gone':
      return 'failed';
  }
}

/** A coarse word for the delivery log; null when all went well. */
function errorOf(result: PostResult, verdict: WebhookVerdict): string | null {
  if (result.kind === 'unanswered') return result.failure;
  if (verdict.kind === 'delivered') return null;
  return result.status >= 300 && result.status < 400 ? 'redirect_not_followed' : 'status_not_2xx';
}

import { Injectable } from '@nestjs/common';
import { Refusal, type Visibility } from '#libs/contracts';
import { type Requester, SafeFetch } from '#libs/safe-fetch';
import { linksOf } from './email-content.js';
import { EmailPreview } from './email-preview.js';

/** Result of checking one link. */
export interface LinkResult {
  url: string;
  /** The status of the last answer; null without one. */
  status: number | null;
  /** Why there is no answer, such as `timeout`; or `too_many_redirects`. Null with an answer. */
  failure: string | null;
  /** The last address of a chain of redirects; null without redirects. */
  redirected_to: string | null;
}

/** Of one message; the others are not asked. */
const MAX_LINKS = 50;
const PARALLEL = 5;
const TIMEOUT_MS = 5_000;
const MAX_REDIRECTS = 5;

/** A check of the links of one message, for all clients that wait for it. */
interface RunningCheck {
  emailId: string;
  results: Promise<LinkResult[]>;
  clients: number;
  stop: AbortController;
}

/**
 * Asks whether the links of a message answer, by HEAD requests that reach public addresses only. An account has one running
 * check, which ends when no client waits for it any more.
 */
@Injectable()
export class LinkCheck {
  /** By account. */
  private readonly running = new Map<string, RunningCheck>();

  constructor(
    private readonly previews: EmailPreview,
    private readonly fetcher: SafeFetch,
  ) {}

  /**
   * Null if the account has no such email, or its content is not kept. A second client gets the results of the running check.
   * @throws Refusal `rate_limit_exceeded` while the links of another message of the account are checked
   */
  async check(visibility: Visibility, emailId: string, signal?: AbortSignal): Promise<LinkResult[] | null> {
    const content = await this.previews.content(visibility, emailId);
    if (content === null) return null;
    const { accountId } = visibility;
    const running = this.running.get(accountId);
    if (running !== undefined && running.emailId !== emailId) throw otherCheckRuns();
    const check = running ?? this.start(accountId, emailId, linksOf(content).slice(0, MAX_LINKS));
    check.clients += 1;
    const leave = () => this.leave(accountId, check);
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    try {
      return await check.results;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  private start(accountId: string, emailId: string, urls: string[]): RunningCheck {
    const stop = new AbortController();
    const results = this.followAll(urls, { account: accountId, signal: stop.signal });
    const check = { emailId, results, clients: 0, stop };
    this.running.set(accountId, check);
    const end = () => this.end(accountId, check);
    void results.then(end, end);
    return check;
  }

  private leave(accountId: string, check: RunningCheck): void {
    check.clients -= 1;
    if (check.clients > 0) return;
    check.stop.abort();
    this.end(accountId, check);
  }

  private end(accountId: string, check: RunningCheck): void {
    if (this.running.get(accountId) === check) this.running.delete(accountId);
  }

  private async followAll(waiting: string[], requester: Requester & { signal: AbortSignal }): Promise<LinkResult[]> {
    const results = new Map<string, LinkResult>(waiting.map((url) => [url, noAnswer(url)]));
    const next = async (): Promise<void> => {
      for (let url = waiting.shift(); url !== undefined && !requester.signal.aborted; url = waiting.shift())
        results.set(url, await this.follow(url, requester));
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    return [...results.values()];
  }

  /** Every hop is checked like the first address. */
  private async follow(url: string, requester: Requester): Promise<LinkResult> {
    let at = withoutFragment(url);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const redirected_to = hop === 0 ? null : at;
      const answer = await this.fetcher.head(at, { ...requester, timeoutMs: TIMEOUT_MS });
      if (answer.kind === 'failed') return { url, status: null, failure: answer.failure, redirected_to };
      const { status, location } = answer;
      if (status < 300 || status >= 400 || location === null) return { url, status, failure: null, redirected_to };
      at = location;
    }
    return { url, status: null, failure: 'too_many_redirects', redirected_to: at };
  }
}

const RETRY_SECONDS = 5;

const otherCheckRuns = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    [],
    'The links of another message of this account are being checked. Try again when that has ended.',
    RETRY_SECONDS,
  );

const noAnswer = (url: string): LinkResult => ({ url, status: null, failure: null, redirected_to: null });

/** A fragment is not part of a request (RFC 9110 section 7.1). */
const withoutFragment = (url: string): string => url.split('#', 1)[0];

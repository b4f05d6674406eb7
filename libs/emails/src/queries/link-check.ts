import { Injectable } from '@nestjs/common';
import type { Visibility } from '#libs/contracts';
import { SafeFetch } from '#libs/safe-fetch';
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

/** Asks whether the links of a message answer, by HEAD requests that reach public addresses only. */
@Injectable()
export class LinkCheck {
  constructor(
    private readonly previews: EmailPreview,
    private readonly fetcher: SafeFetch,
  ) {}

  /** Null if the account has no such email, or its content is not kept. */
  async check(visibility: Visibility, emailId: string): Promise<LinkResult[] | null> {
    const content = await this.previews.content(visibility, emailId);
    if (content === null) return null;
    const waiting = linksOf(content).slice(0, MAX_LINKS);
    const results = new Map<string, LinkResult>(waiting.map((url) => [url, noAnswer(url)]));
    const next = async (): Promise<void> => {
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift())
        results.set(url, await this.follow(url));
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    return [...results.values()];
  }

  /** Every hop is checked like the first address. */
  private async follow(url: string): Promise<LinkResult> {
    let at = withoutFragment(url);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const redirected_to = hop === 0 ? null : at;
      const answer = await this.fetcher.head(at, { timeoutMs: TIMEOUT_MS });
      if (answer.kind === 'failed') return { url, status: null, failure: answer.failure, redirected_to };
      const { status, location } = answer;
      if (status < 300 || status >= 400 || location === null) return { url, status, failure: null, redirected_to };
      at = location;
    }
    return { url, status: null, failure: 'too_many_redirects', redirected_to: at };
  }
}

const noAnswer = (url: string): LinkResult => ({ url, status: null, failure: null, redirected_to: null });

/** A fragment is not part of a request (RFC 9110 section 7.1). */
const withoutFragment = (url: string): string => url.split('#', 1)[0];

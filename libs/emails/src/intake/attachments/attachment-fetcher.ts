import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { type FetchFailure, type PermitFailure, type Requester, SafeFetch } from '#libs/safe-fetch';
import { withContentType } from './attachment-rules.js';
import { messageTooLarge } from '../submission-size.js';
import type { Attachment } from '../../message/submitted-content.js';

/** For each attachment of an email; they are fetched at once, except for those that wait for a permit. */
const ALL_FILES_MS = 5_000;
const RETRY_SECONDS = 5;

/** The reasons are coarse on purpose: details would tell callers about networks that only the service can reach. */
const REASONS: Record<Exclude<FetchFailure, PermitFailure | 'too_large'>, string> = {
  target_refused: 'must lead to an address on the public internet',
  name_unresolved: 'must have a host name that resolves',
  timeout: `must be fetched within ${ALL_FILES_MS / 1000} seconds, all files together`,
  tls_failed: 'must have a valid certificate',
  connection_failed: 'must be reachable',
  redirect_not_followed: 'must not redirect',
  status_not_200: 'must answer with status 200',
  encoding_not_identity: 'must answer without content encoding',
};

/**
 * Fetches the attachments given by `path`, when the email is accepted
 * (docs/decisions/030-requests-to-untrusted-hosts.md).
 */
@Injectable()
export class AttachmentFetcher {
  constructor(private readonly safeFetch: SafeFetch) {}

  /**
   * Returns the attachments with their content; `availableBytes` is the remaining size of the email.
   * @throws Refusal `validation_error` for a forbidden path, `attachment_not_allowed` for a failed fetch,
   * `message_too_large` when the remaining size is exceeded, `rate_limit_exceeded` when too many others are fetched.
   */
  async fetchAll(
    attachments: Attachment[],
    { availableBytes, ...requester }: { availableBytes: number } & Requester,
  ): Promise<Attachment[]> {
    this.requireAllowedPaths(attachments);
    const budget = { bytes: availableBytes };
    const fetched = await Promise.all(attachments.map((file) => this.fetchOne(file, budget, requester)));
    if (fetched.includes('too_large')) throw messageTooLarge();
    if (fetched.includes('aborted')) throw new Refusal('validation_error', [], 'The client has disconnected.');
    if (fetched.includes('busy')) throw tooManyFiles();
    const problems = fetched.flatMap((file, i) =>
      typeof file === 'string' && file in REASONS
        ? [{ field: `attachments[${i}].path`, code: file, message: REASONS[file as keyof typeof REASONS] }]
        : [],
    );
    if (problems.length > 0) throw new Refusal('attachment_not_allowed', problems, 'An attachment cannot be fetched.');
    return fetched.filter((file) => typeof file !== 'string');
  }

  private requireAllowedPaths(attachments: Attachment[]): void {
    const problems = attachments.flatMap(({ path }, i) =>
      (path === undefined ? [] : this.safeFetch.problems(path))
        // Private addresses are rejected by the fetch, so that they give the same error as names that resolve to them.
        .filter((problem) => problem.code !== 'private_address')
        .map((problem) => ({ field: `attachments[${i}].path`, ...problem })),
    );
    if (problems.length > 0) throw new Refusal('validation_error', problems);
  }

  private async fetchOne(
    file: Attachment,
    budget: { bytes: number },
    requester: Requester,
  ): Promise<Attachment | FetchFailure> {
    const { path, ...rest } = file;
    if (path === undefined) return file;
    const fetched = await this.safeFetch.get(path, { ...requester, budget, timeoutMs: ALL_FILES_MS });
    return fetched.kind === 'failed' ? fetched.failure : withContentType({ ...rest, content: fetched.body });
  }
}

const tooManyFiles = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    [],
    'Too many attachments of this account are being fetched. Send fewer emails with a path at a time.',
    RETRY_SECONDS,
  );

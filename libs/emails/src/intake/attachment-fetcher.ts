import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { SafeFetch, type FetchFailure } from '#libs/kernel';
import { named } from './attachment-rules.js';
import { mailTooLarge } from './submission-size.js';
import type { Attachment } from './submission.js';

/** For all files of one mail together (D-18). */
const ALL_FILES_MS = 5_000;

/** Coarse on purpose: more would tell callers about networks that only we can see. */
const REASONS: Record<Exclude<FetchFailure, 'too_large'>, string> = {
  target_refused: 'must lead to an address on the public internet',
  name_unresolved: 'must have a host name that resolves',
  timeout: `must be fetched within ${ALL_FILES_MS / 1000} seconds, all files together`,
  tls_failed: 'must have a valid certificate',
  connection_failed: 'must be reachable',
  redirect_not_followed: 'must not redirect',
  status_not_200: 'must answer with status 200',
  encoding_not_identity: 'must answer without content encoding',
};

/** Brings the files that a mail names by `path` (D-18), through the guard of promises S-45, when the mail is accepted. */
@Injectable()
export class AttachmentFetcher {
  constructor(private readonly safeFetch: SafeFetch) {}

  /**
   * The attachments with their content; `room` is how many bytes the mail may still grow by.
   * @throws Refusal `validation_error` for a path that may not be asked, `attachment_not_allowed` for one that did not
   * bring the file, `message_too_large` as soon as there is no room.
   */
  async fetchAll(attachments: Attachment[], room: number): Promise<Attachment[]> {
    this.requireAllowedPaths(attachments);
    const budget = { bytes: room };
    const fetched = await Promise.all(attachments.map((file) => this.fetchOne(file, budget)));
    if (fetched.includes('too_large')) throw mailTooLarge();
    const problems = fetched.flatMap((file, i) =>
      typeof file === 'string' && file !== 'too_large'
        ? [{ field: `attachments[${i}].path`, code: file, message: REASONS[file] }]
        : [],
    );
    if (problems.length > 0) throw new Refusal('attachment_not_allowed', problems, 'An attachment cannot be fetched.');
    return fetched.filter((file) => typeof file !== 'string');
  }

  private requireAllowedPaths(attachments: Attachment[]): void {
    const problems = attachments.flatMap(({ path }, i) =>
      (path === undefined ? [] : this.safeFetch.problems(path))
        // Judged where the address of a name is judged too: neither tells more than the other.
        .filter((problem) => problem.code !== 'private_address')
        .map((problem) => ({ field: `attachments[${i}].path`, ...problem })),
    );
    if (problems.length > 0) throw new Refusal('validation_error', problems);
  }

  private async fetchOne(file: Attachment, budget: { bytes: number }): Promise<Attachment | FetchFailure> {
    const { path, ...rest } = file;
    if (path === undefined) return file;
    const fetched = await this.safeFetch.get(path, { budget, timeoutMs: ALL_FILES_MS });
    return fetched.kind === 'failed' ? fetched.failure : named({ ...rest, content: fetched.body });
  }
}

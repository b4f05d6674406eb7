import { Injectable } from '@nestjs/common';
import { Allowances } from '#libs/accounts';
import { Shutdown } from '#libs/kernel';
import { Database, GroupCommit } from '#libs/persistence';
import { StoredContents } from '../message/content/stored-contents.js';
import { bodyBytes, type AcceptRequest, type AcceptResult } from './accept-request.js';
import { AcceptWriter } from './accept-writer.js';
import type { Idempotency } from './submission.js';

/** Requests with larger bodies are committed in groups of their own: others do not wait for their transfer. */
const LARGE_BYTES = 1024 * 1024;
const GROUP_ITEMS = 128;
const GROUP_BYTES = 4 * 1024 * 1024;
/**
 * A commit costs as much processor time as four messages; clients of a busy group send their next request within about
 * this time.
 */
const GROUP_GATHER_MS = 1;

/** Commits concurrent accept requests together (docs/decisions/017-group-commit.md). */
@Injectable()
export class AcceptGroups {
  private readonly writer: AcceptWriter;
  private readonly group: GroupCommit<AcceptRequest, AcceptResult>;
  private readonly largeGroup: GroupCommit<AcceptRequest, AcceptResult>;

  constructor(database: Database, allowances: Allowances, contents: StoredContents, shutdown: Shutdown) {
    this.writer = new AcceptWriter(database, allowances, contents);
    const groupCommit = () =>
      new GroupCommit<AcceptRequest, AcceptResult>({
        commit: (requests) => this.writer.commit(requests),
        maxItems: GROUP_ITEMS,
        concurrentGatherMs: GROUP_GATHER_MS,
        maxBytes: GROUP_BYTES,
        sizeOf: bodyBytes,
      });
    [this.group, this.largeGroup] = [groupCommit(), groupCommit()];
    shutdown.on('intake', 'accept', async () => {
      await Promise.all([this.group.drained(), this.largeGroup.drained()]);
    });
  }

  /** Resolves after the commit. */
  commit(request: AcceptRequest): Promise<AcceptResult> {
    return (bodyBytes(request) > LARGE_BYTES ? this.largeGroup : this.group).add(request);
  }

  /** Returns the stored result of a request with this key, or null. @throws Refusal `idempotency_mismatch`. */
  earlierResult(idempotency: Idempotency): Promise<AcceptResult | null> {
    return this.writer.earlierResult(idempotency);
  }
}

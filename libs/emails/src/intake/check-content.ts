import { LIMITS, Refusal } from '#libs/contracts';
import type { AttachmentFetcher } from './attachments/attachment-fetcher.js';
import { forbiddenAttachments } from './attachments/attachment-rules.js';
import { requireAllowedFiles } from './attachments/relayed-attachments.js';
import type { FurtherTypes } from './attachments/attachment-types.js';
import { messageTooLarge, sizeOf } from './submission-size.js';
import type { PartsContent } from '../message/submitted-content.js';
import type { Submission } from './submission.js';

/**
 * Fetches remote attachments, then checks attachments and size. For SMTP, the session has checked the size.
 * @throws Refusal `attachment_not_allowed`, `message_too_large`, and the refusals of a failed fetch.
 */
export async function checkContent(
  given: Submission,
  fetcher: AttachmentFetcher,
  further: FurtherTypes,
): Promise<Submission> {
  const submission = await withFetchedAttachments(given, fetcher);
  const { content } = submission;
  if (content.format === 'mime') await requireAllowedFiles(content.files ?? [], further);
  else requireAllowedParts(content, sizeOf(submission), further);
  return submission;
}

async function withFetchedAttachments(submission: Submission, fetcher: AttachmentFetcher): Promise<Submission> {
  const { content } = submission;
  if (content.format === 'mime' || content.attachments.every((file) => file.path === undefined)) return submission;
  const availableBytes = LIMITS.messageBytes - sizeOf(submission);
  const attachments = await fetcher.fetchAll(content.attachments, {
    availableBytes,
    account: submission.accountId,
    ...(submission.signal === undefined ? {} : { signal: submission.signal() }),
  });
  return { ...submission, content: { ...content, attachments } };
}

function requireAllowedParts({ attachments }: PartsContent, size: number, further: FurtherTypes): void {
  const problems = forbiddenAttachments(attachments, further);
  if (problems.length > 0)
    throw new Refusal(
      'attachment_not_allowed',
      problems.map((p) => ({ field: `attachments${p.path}`, code: p.code, message: p.message })),
    );
  if (size > LIMITS.messageBytes) throw messageTooLarge();
}

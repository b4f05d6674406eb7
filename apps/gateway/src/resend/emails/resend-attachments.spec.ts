import type { Principal } from '#libs/accounts';
import { newSubmission } from '#libs/emails';
import { describe, expect, it } from 'vitest';
import { resendAttachmentsRule, toAttachments, type ResendAttachmentInput } from './resend-attachments.js';

const submitted = (given: ResendAttachmentInput[]) =>
  newSubmission(
    { from: 'a@example.com', to: 'b@example.com', subject: 'Hi', text: 'Hi', attachments: toAttachments(given) },
    { accountId: 'acc_1', keyId: 'key_1', mode: 'live', domainIds: null } as Principal,
  ).content;

describe('attachments of the Resend API', () => {
  it.each([
    ['base64', 'aGVsbG8='],
    ['one number for each byte', [104, 101, 108, 108, 111]],
    ['a buffer in JSON', Buffer.from('hello').toJSON()],
  ])('accept content as %s', (_, content) => {
    const given = [{ filename: 'a.txt', content }];
    expect(resendAttachmentsRule(given)).toEqual([]);
    expect(submitted(given)).toMatchObject({ attachments: [{ filename: 'a.txt', content: Buffer.from('hello') }] });
  });

  it.each([
    [[256]],
    [[-1]],
    [[1.5]],
    [['a']],
    [[[104]]],
    [{ type: 'Buffer' }],
    [{ type: 'Buffer', data: [256] }],
    [{ type: 'X', data: [1] }],
  ])('are refused with %j', (content) => {
    expect(resendAttachmentsRule([{ filename: 'a.txt', content }])).toMatchObject([{ path: '[0].content' }]);
  });

  it.each([[false], [null], [undefined]] as const)('do not require a file name: %j', (filename) => {
    const given = [{ filename, content: 'aGVsbG8=', content_type: 'text/plain' }];
    expect(resendAttachmentsRule(given)).toEqual([]);
    expect(submitted(given)).toMatchObject({ attachments: [{ filename: 'attachment-1' }] });
  });
});

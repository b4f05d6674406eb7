import type {
  BatchAddSuppressionsResponseSuccess,
  BatchRemoveSuppressionsResponseSuccess,
  CancelEmailResponseSuccess,
  CreateEmailResponseSuccess,
  GetEmailResponseSuccess,
  GetEmailsMetricsResponseSuccess,
  GetLogResponseSuccess,
  GetSuppressionResponseSuccess,
  GetUsageResponseSuccess,
  ListEmailsResponseSuccess,
  ListLogsResponseSuccess,
  ListSuppressionsResponseSuccess,
  RemoveSuppressionResponseSuccess,
  Resend,
  UpdateEmailResponseSuccess,
} from 'resend';
import { describe, expectTypeOf, it } from 'vitest';
import type { ResendEmailAttachmentsController } from './resend-email-attachments.controller.js';
import type { ResendEmailsController } from './resend-emails.controller.js';
import type { ResendLogsController } from './resend-logs.controller.js';
import type { ResendMetricsController } from './resend-metrics.controller.js';
import type { ResendSendingController } from './resend-sending.controller.js';
import type { ResendSuppressionsController } from './resend-suppressions.controller.js';
import type { ResendUsageController } from './resend-usage.controller.js';

/** What a handler answers; the compiler does the work here. */
type Answer<Controller, Handler extends keyof Controller> = Controller[Handler] extends (
  ...given: never[]
) => Promise<infer T>
  ? T
  : never;
/** What the package says that a call gives when it succeeds, where it has no name for it. */
type Given<Call extends (...given: never[]) => Promise<{ data: unknown }>> = Exclude<
  Awaited<ReturnType<Call>>['data'],
  null
>;
type Attachments = Resend['emails']['attachments'];

describe('answers have the types that the package declares', () => {
  it('of mails', () => {
    expectTypeOf<Answer<ResendSendingController, 'send'>>().toExtend<CreateEmailResponseSuccess>();
    expectTypeOf<Answer<ResendEmailsController, 'find'>>().toExtend<GetEmailResponseSuccess>();
    expectTypeOf<Answer<ResendEmailsController, 'list'>>().toExtend<ListEmailsResponseSuccess>();
    expectTypeOf<Answer<ResendEmailsController, 'update'>>().toExtend<UpdateEmailResponseSuccess>();
    expectTypeOf<Answer<ResendEmailsController, 'cancel'>>().toExtend<CancelEmailResponseSuccess>();
    expectTypeOf<Answer<ResendMetricsController, 'metrics'>>().toExtend<GetEmailsMetricsResponseSuccess>();
    expectTypeOf<Answer<ResendEmailAttachmentsController, 'list'>>().toExtend<Given<Attachments['list']>>();
    expectTypeOf<Answer<ResendEmailAttachmentsController, 'find'>>().toExtend<Given<Attachments['get']>>();
  });

  it('of suppressions', () => {
    expectTypeOf<Answer<ResendSuppressionsController, 'list'>>().toExtend<ListSuppressionsResponseSuccess>();
    expectTypeOf<Answer<ResendSuppressionsController, 'find'>>().toExtend<GetSuppressionResponseSuccess>();
    expectTypeOf<Answer<ResendSuppressionsController, 'add'>>().toExtend<Given<Resend['suppressions']['add']>>();
    expectTypeOf<Answer<ResendSuppressionsController, 'remove'>>().toExtend<RemoveSuppressionResponseSuccess>();
    expectTypeOf<Answer<ResendSuppressionsController, 'addBatch'>>().toExtend<BatchAddSuppressionsResponseSuccess>();
    expectTypeOf<
      Answer<ResendSuppressionsController, 'removeBatch'>
    >().toExtend<BatchRemoveSuppressionsResponseSuccess>();
  });

  it('of the request log and the allowance', () => {
    expectTypeOf<Answer<ResendLogsController, 'list'>>().toExtend<ListLogsResponseSuccess>();
    expectTypeOf<Answer<ResendLogsController, 'find'>>().toExtend<GetLogResponseSuccess>();
    expectTypeOf<Answer<ResendUsageController, 'get'>>().toExtend<GetUsageResponseSuccess>();
  });
});

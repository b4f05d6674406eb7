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
import type { ResendEmailAttachmentsController } from './emails/resend-email-attachments.controller.js';
import type { ResendEmailsController } from './emails/resend-emails.controller.js';
import type { ResendLogsController } from './resend-logs.controller.js';
import type { ResendMetricsController } from './resend-metrics.controller.js';
import type { ResendSendingController } from './emails/resend-sending.controller.js';
import type { ResendSuppressionsController } from './suppressions/resend-suppressions.controller.js';
import type { ResendUsageController } from './resend-usage.controller.js';

/** The response of a handler. All checks of this file are made by the compiler. */
type ResponseOf<Controller, Handler extends keyof Controller> = Controller[Handler] extends (
  ...given: never[]
) => Promise<infer T>
  ? T
  : never;
/** The data of a successful call of the package, for types that it does not export. */
type DataOf<Call extends (...given: never[]) => Promise<{ data: unknown }>> = Exclude<
  Awaited<ReturnType<Call>>['data'],
  null
>;
type Attachments = Resend['emails']['attachments'];

describe('responses have the types of the package', () => {
  it('for emails', () => {
    expectTypeOf<ResponseOf<ResendSendingController, 'send'>>().toExtend<CreateEmailResponseSuccess>();
    expectTypeOf<ResponseOf<ResendEmailsController, 'find'>>().toExtend<GetEmailResponseSuccess>();
    expectTypeOf<ResponseOf<ResendEmailsController, 'list'>>().toExtend<ListEmailsResponseSuccess>();
    expectTypeOf<ResponseOf<ResendEmailsController, 'update'>>().toExtend<UpdateEmailResponseSuccess>();
    expectTypeOf<ResponseOf<ResendEmailsController, 'cancel'>>().toExtend<CancelEmailResponseSuccess>();
    expectTypeOf<ResponseOf<ResendMetricsController, 'metrics'>>().toExtend<GetEmailsMetricsResponseSuccess>();
    expectTypeOf<ResponseOf<ResendEmailAttachmentsController, 'list'>>().toExtend<DataOf<Attachments['list']>>();
    expectTypeOf<ResponseOf<ResendEmailAttachmentsController, 'find'>>().toExtend<DataOf<Attachments['get']>>();
  });

  it('for suppressions', () => {
    expectTypeOf<ResponseOf<ResendSuppressionsController, 'list'>>().toExtend<ListSuppressionsResponseSuccess>();
    expectTypeOf<ResponseOf<ResendSuppressionsController, 'find'>>().toExtend<GetSuppressionResponseSuccess>();
    expectTypeOf<ResponseOf<ResendSuppressionsController, 'add'>>().toExtend<DataOf<Resend['suppressions']['add']>>();
    expectTypeOf<ResponseOf<ResendSuppressionsController, 'remove'>>().toExtend<RemoveSuppressionResponseSuccess>();
    expectTypeOf<
      ResponseOf<ResendSuppressionsController, 'addBatch'>
    >().toExtend<BatchAddSuppressionsResponseSuccess>();
    expectTypeOf<
      ResponseOf<ResendSuppressionsController, 'removeBatch'>
    >().toExtend<BatchRemoveSuppressionsResponseSuccess>();
  });

  it('for the request log and the allowance', () => {
    expectTypeOf<ResponseOf<ResendLogsController, 'list'>>().toExtend<ListLogsResponseSuccess>();
    expectTypeOf<ResponseOf<ResendLogsController, 'find'>>().toExtend<GetLogResponseSuccess>();
    expectTypeOf<ResponseOf<ResendUsageController, 'get'>>().toExtend<GetUsageResponseSuccess>();
  });
});

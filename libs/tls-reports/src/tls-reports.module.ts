import { Module } from '@nestjs/common';
import { EmailsModule } from '#libs/emails';
import { SafeFetch } from '#libs/safe-fetch';
import { TlsReporter } from './tls-reporter.js';
import { TlsResults } from './tls-results.js';

/** SMTP TLS reporting (RFC 8460): counts of sessions by policy and result, and the daily reports about them. */
@Module({
  imports: [EmailsModule],
  providers: [SafeFetch, TlsReporter, TlsResults],
  exports: [TlsReporter, TlsResults],
})
export class TlsReportsModule {}

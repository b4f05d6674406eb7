import { Module, type DynamicModule } from '@nestjs/common';
import { DomainsModule } from '#libs/domains';
import { AcmeAuthority } from './acme-authority.js';
import { CertificateRenewal } from './certificate-renewal.js';
import { CertificateStore } from './certificate-store.js';
import { IssuedCertificates } from './issued-certificates.js';

/** Certificates by ACME, for the listeners of the program that imports it. */
@Module({
  providers: [CertificateStore, IssuedCertificates],
  exports: [CertificateStore, IssuedCertificates],
})
export class CertificatesModule {
  /** Also orders and renews them; in programs that answer the challenges. */
  static withRenewal(): DynamicModule {
    return { module: RenewalModule };
  }
}

@Module({
  imports: [CertificatesModule, DomainsModule],
  providers: [AcmeAuthority, CertificateRenewal],
  exports: [CertificatesModule],
})
class RenewalModule {}

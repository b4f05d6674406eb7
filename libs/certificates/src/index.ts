export { CertificatesModule } from './certificates.module.js';
export { CertificateStore, certificateStates, requestRenewal, type CertificateState } from './certificate-store.js';
export { IssuedCertificates } from './issued-certificates.js';

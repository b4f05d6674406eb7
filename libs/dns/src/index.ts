export { dnsErrorText } from './dns-error.js';
export { reversed } from './dns-name.js';
export { DnsSession } from './dns-session.js';
export { DnssecClient, type DnssecAnswer, type TlsaRecord, type TrackQuery } from './dnssec-client.js';
export { Resolver, type AddressAnswer, type MxHost, type NameAnswer } from './resolver.js';
export { StubResolver } from './stub-resolver.js';
export { UncachedResolver, type DnsAnswer } from './uncached-resolver.js';
export { zoneView, type ZoneView } from './zone-view.js';

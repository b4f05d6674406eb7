import { AddressRanges } from './address-ranges.js';

/** Whether `X-Forwarded-For` of a proxy with this address is trusted. */
export type ProxyCheck = (address: string) => boolean;

/** Named groups of networks. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * By `TRUST_PROXY`: no proxy (`off`), any (`on`), or those with the given addresses, networks or group names.
 * @throws Error that names an invalid entry
 */
export function trustedProxies(setting: string): ProxyCheck {
  if (setting === 'off') return () => false;
  if (setting === 'on') return () => true;
  const ranges = new AddressRanges(
    setting
      .split(',')
      .map((part) => part.trim())
      .flatMap((part) => NAMED[part] ?? [part]),
  );
  return (address) => ranges.includes(address);
}

import { AddressRanges } from './address-ranges.js';

/** Whose `X-Forwarded-For` is believed. */
export type TrustsProxy = (address: string) => boolean;

/** Names that may stand for the usual places of a proxy. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * By `TRUST_PROXY`: nobody's (`off`), everybody's (`on`), or that of the proxies with these addresses.
 * @throws Error naming what is no address, network or known name.
 */
export function trustedProxies(setting: string): TrustsProxy {
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

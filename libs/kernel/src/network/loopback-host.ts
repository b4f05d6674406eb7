import { isIPv4 } from 'node:net';

/** Whether a host name of a URL always means this machine, so that plain HTTP to it is not overheard (RFC 6761 section 6.3). */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return isIPv4(host) && host.startsWith('127.');
}

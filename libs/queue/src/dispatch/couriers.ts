import { Injectable } from '@nestjs/common';
import { CapturedMessages } from '#libs/emails';
import { Config, Log, Shutdown } from '#libs/kernel';
import { createCourier, MailboxProviders, type Courier } from '#libs/mta';
import { SharedThrottling } from '../throttling/shared-throttling.js';
import { OutgoingTls } from '../tls-policy/outgoing-tls.js';

const STOP_MS = 7_000;

interface CapturedEmail {
  id: string;
  mailFrom: string;
  recipients: string[];
  content: Buffer;
}

/** The couriers of this process, made from its settings. */
@Injectable()
export class Couriers {
  /** Of the delivery mode. */
  readonly courier: Courier;
  /** Of simulated messages, which are captured in every delivery mode. */
  readonly inbox: Courier;

  constructor(
    captured: CapturedMessages,
    tls: OutgoingTls,
    { plan }: SharedThrottling,
    { settings: s }: Config,
    log: Log,
    shutdown: Shutdown,
  ) {
    const options = {
      capture: ({ id, mailFrom, recipients, content }: CapturedEmail) =>
        captured.store({ emailId: id, mailFrom, rcptTo: recipients, content }),
      smarthostUrl: s.SMARTHOST_URL,
      mxPort: s.MX_PORT,
      dnsServers: s.DNS_SERVERS ?? [],
      allowPrivateMx: s.ALLOW_PRIVATE_MX,
      connectionsPerHost: s.CONNECTIONS_PER_HOST,
      heloName: `smtp.${s.SERVICE_DOMAIN}`,
      timeouts: s.SMTP_OUT_TIMEOUTS,
      ownAddresses: [s.SMTP_PORT, s.SMTPS_PORT, s.INBOUND_SMTP_PORT].map((port) => ({ address: s.SMTP_HOST, port })),
      log: (event: object) => log.debug('courier', event),
      onOutage: (text: string | null) =>
        text === null
          ? log.info('delivery: DNS answers again')
          : log.warn('delivery: mail waits for DNS', { reason: text }),
      providers: new MailboxProviders(plan),
    };
    this.courier = createCourier({ ...options, ...tls.options(), mode: s.DELIVERY_MODE });
    this.inbox = s.DELIVERY_MODE === 'capture' ? this.courier : createCourier({ ...options, mode: 'capture' });
    shutdown.on('work', 'courier', () => this.courier.close(STOP_MS));
  }
}

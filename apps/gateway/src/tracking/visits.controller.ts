import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { EarlierLinks, RecordVisits } from '#libs/emails';
import { databaseClock } from '#libs/kernel';
import { botVerdict, readTokenText, TrackingLinks, type TrackedRecipient } from '#libs/tracking';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public, TokenInPath } from '../http/route-access.js';
import { AddressLimit } from './address-limit.js';
import { PAGE_HEADERS, unknownPage } from './unsubscribe-page.js';

/** A transparent GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** Every visit must reach the service, and nothing about the message may reach the target. */
const VISIT_HEADERS = {
  'cache-control': 'no-store, no-cache, must-revalidate, private, max-age=0',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};
const OPEN_PATH = /^\/t\/o\/([^/?]+)(?:\?|$)/;
const IMAGE = /\.gif$/i;
const CLICK_PATH = /^\/t\/c\/([^/?]+)(?:\?|$)/;

/**
 * The pixel and the links of tracked messages. The token of a link proves that this service put it into a message with this
 * host, so the answer needs no database, and no other address can be reached through it. Visits are recorded afterwards.
 * HEAD is answered like GET. The token is taken from the raw path, because the router decodes a path once only.
 */
@ApiExcludeController()
@Controller('t')
export class VisitsController {
  constructor(
    private readonly links: TrackingLinks,
    private readonly earlier: EarlierLinks,
    private readonly visits: RecordVisits,
    private readonly addressLimit: AddressLimit,
  ) {}

  @Get('o/*')
  @Public()
  @TokenInPath()
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const image = readTokenText(OPEN_PATH.exec(request.originalUrl)?.[1] ?? '');
    const recipient = IMAGE.test(image) ? this.links.readOpen(image.replace(IMAGE, '')) : null;
    if (recipient === null) return this.unknown(request, reply);
    this.record(request, { kind: 'open', recipient, url: '' });
    await reply.headers(VISIT_HEADERS).type('image/gif').send(PIXEL);
  }

  @Get('c/*')
  @Public()
  @TokenInPath()
  async click(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const token = readTokenText(CLICK_PATH.exec(request.originalUrl)?.[1] ?? '');
    const host = request.hostname;
    const link = this.links.readClick(token, host) ?? (await this.earlier.readClick(token, host));
    if (link === null) return this.unknown(request, reply);
    this.record(request, { kind: 'click', recipient: link, url: link.target });
    await reply.status(302).headers(VISIT_HEADERS).header('location', inAscii(link.target)).send('');
  }

  private record(
    { method, ip, headers }: FastifyRequest,
    { kind, recipient, url }: { kind: 'open' | 'click'; recipient: TrackedRecipient; url: string },
  ): void {
    const address = ip.replace(/^::ffff:(?=\d+\.)/, '');
    const { emailId, ordinal } = recipient;
    const bot = botVerdict({ kind, method, address, headers });
    const userAgent = headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null;
    this.visits.add({ emailId, ordinal, kind, url, at: databaseClock.date(), address, userAgent, bot });
  }

  /** Only requests without a valid token are limited: images of all readers of a provider come from few addresses. */
  private async unknown(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.addressLimit.take(request.ip);
    await reply.status(404).headers(PAGE_HEADERS).send(unknownPage());
  }
}

const MAX_USER_AGENT = 500;

/** Only octets outside of ASCII are encoded (RFC 9110 §10.2.2); everything else stays as it is in the message. */
const inAscii = (url: string): string => url.replace(/[^\0-\x7f]+/g, (text) => encodeURIComponent(text));

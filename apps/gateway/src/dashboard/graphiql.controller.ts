import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/route-access.js';
import { pathOfRoute } from '../http/route-table.js';
import { sendAsset } from '../http/static-asset.js';
import { graphiqlFiles } from './dashboard-files.js';

const PATH = '/graphql';

/** Scripts, workers and requests of this host only. The editor positions its lines by style attributes and contains fonts. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

/**
 * Answers a browser that opens /graphql with GraphiQL, which asks for a key itself. Everything else is a request to the API.
 * @returns false for any other request
 */
export async function answerGraphiql(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (request.method !== 'GET' || pathOfRoute(request) !== PATH || !acceptsPage(request)) return false;
  void reply.header('content-security-policy', PAGE_POLICY);
  await sendAsset(reply, (await graphiqlFiles()).page, { cacheControl: 'no-cache', vary: 'accept, accept-encoding' });
  return true;
}

/** Clients of the API accept JSON or anything; browsers name HTML. */
const acceptsPage = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/i.test(headers.accept ?? '');

/** The files of GraphiQL, built by set-up from apps/dashboard/graphiql. */
@Controller('graphql/assets')
export class GraphiqlController {
  @Get(':file')
  @Public()
  @ApiExcludeEndpoint()
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    const asset = (await graphiqlFiles()).assets.get(`assets/${file}`);
    if (!asset) throw new Refusal('not_found');
    await sendAsset(reply, asset);
  }
}

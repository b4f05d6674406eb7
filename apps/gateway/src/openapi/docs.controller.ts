import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import type { FastifyReply } from 'fastify';
import { sendAsset } from '../http/static-asset.js';
import { Public } from '../http/route-access.js';
import { ApiDescription } from './api-document.js';
import { docsFiles } from './docs-assets.js';
import { Operation } from './operation.js';

/** Unlike the rest of the API, the page loads scripts, styles and images of its own; nothing inline or foreign. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_SECONDS = 300;

/** The API description, as JSON and as a documentation page, and the pages of the documentation. */
@Controller()
export class DocsController {
  constructor(private readonly description: ApiDescription) {}

  @Get('openapi.json')
  @Public()
  @Operation({
    tag: 'Service',
    summary: 'Get the API description',
    description: 'The OpenAPI 3.1 document of this service, with its public URL in `servers`.',
    content: 'application/json',
  })
  async openApi(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .type('application/json; charset=utf-8')
      .header('cache-control', `public, max-age=${PAGE_SECONDS}`)
      .send(this.description.json);
  }

  @Get('docs')
  @Public()
  @ApiExcludeEndpoint()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Header('cache-control', `public, max-age=${PAGE_SECONDS}`)
  async page(): Promise<string> {
    return (await docsFiles()).page;
  }

  @Get('docs/:file')
  @Public()
  @ApiExcludeEndpoint()
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    const { assets, guide } = await docsFiles();
    const [page, asset] = [guide.get(file), assets.get(file)];
    if (page !== undefined)
      await reply
        .type('text/html; charset=utf-8')
        .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': `public, max-age=${PAGE_SECONDS}` })
        .send(page);
    else if (asset) await sendAsset(reply, asset);
    else throw new Refusal('not_found');
  }
}

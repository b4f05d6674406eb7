import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GUIDE_STYLE, guidePages } from './guide-pages.js';
import { EXAMPLE_SCHEDULE } from './properties.js';
import { staticAsset, type StaticAsset } from '../http/static-asset.js';

const bundle = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Relative to the URL of the page, so that it also works under `/v1` and behind a prefix. */
const INIT = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  showExtensions: true,
  tryItOutEnabled: false,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.url.endsWith('/openapi.json')) {
      const inAnHour = new Date(Date.now() + 3600000).toISOString();
      response.text = response.text.replaceAll('${EXAMPLE_SCHEDULE}', inAnHour);
    }
    return response;
  },
});
`;
const STYLE = `body { margin: 0; background: #fff; }
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 32px 0; }
/* The links are for programs, and a column for them does not fit a phone. */
.swagger-ui .response-col_links { display: none; }
@media (max-width: 640px) {
  .swagger-ui .opblock-summary .view-line-link { display: none; }
  .swagger-ui table.responses-table { table-layout: fixed; }
  .swagger-ui table.responses-table > :is(thead, tbody) > tr > :first-child { width: 4em; }
  .swagger-ui table.headers { table-layout: fixed; overflow-wrap: break-word; }
  .swagger-ui :is(.model, .markdown, .renderedMarkdown, .parameter__name) { overflow-wrap: anywhere; }
}
`;

const TEXT = 'text/javascript; charset=utf-8';
const SOURCES: Record<string, { type: string; read: () => Promise<Buffer> }> = {
  'docs.css': {
    type: 'text/css; charset=utf-8',
    read: async () => Buffer.concat([await readFile(join(bundle, 'swagger-ui.css')), Buffer.from(`\n${STYLE}`)]),
  },
  'swagger-ui.js': { type: TEXT, read: () => readFile(join(bundle, 'swagger-ui-bundle.js')) },
  'docs.js': { type: TEXT, read: () => Promise.resolve(Buffer.from(INIT)) },
  'guide.css': { type: 'text/css; charset=utf-8', read: () => Promise.resolve(Buffer.from(GUIDE_STYLE)) },
  'icon.png': { type: 'image/png', read: () => readFile(join(bundle, 'favicon-32x32.png')) },
};

interface Docs {
  page: string;
  /** Pages of the documentation beside the API reference, by name. */
  guide: ReadonlyMap<string, string>;
  /** By name. The name contains a hash of the content, so that clients can cache an asset forever. */
  assets: ReadonlyMap<string, StaticAsset>;
}

let docs: Promise<Docs> | undefined;

/** The documentation page and its assets, all served by this process; loaded on first use. */
export function docsFiles(): Promise<Docs> {
  docs ??= load();
  docs.catch(() => (docs = undefined));
  return docs;
}

async function load(): Promise<Docs> {
  const assets = new Map<string, StaticAsset>();
  const names: Record<string, string> = {};
  for (const [name, { type, read }] of Object.entries(SOURCES)) {
    const plain = await read();
    const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
    names[name] = `${hash}-${name}`;
    assets.set(names[name], await staticAsset(type, plain));
  }
  return { page: pageOf(names), guide: await guidePages(names['guide.css']), assets };
}

const pageOf = (names: Record<string, string>): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Postloft API</title>
    <link rel="icon" href="docs/${names['icon.png']}" />
    <link rel="stylesheet" href="docs/${names['docs.css']}" />
  </head>
  <body>
    <div id="docs"></div>
    <noscript><p>This page needs JavaScript. The description itself is <a href="openapi.json">openapi.json</a>.</p></noscript>
    <script src="docs/${names['swagger-ui.js']}"></script>
    <script src="docs/${names['docs.js']}"></script>
  </body>
</html>
`;

import react from '@vitejs/plugin-react';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { defineConfig, type Plugin } from 'vite';

const require = createRequire(import.meta.url);
const BASE_STYLES = ['default-css-variables', 'baseline', 'global'];

/**
 * Replaces the style sheet of all components of Mantine by those of the components that the dashboard uses. They are in a
 * cascade layer, so that the order in which pages load them does not decide over `app.css`.
 */
function stylesOfUsedComponents(): Plugin {
  return {
    name: 'styles-of-used-components',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!/@mantine[\\/]core[\\/]styles\.layer\.css$/.test(id)) return null;
      return BASE_STYLES.map((name) =>
        readFileSync(require.resolve(`@mantine/core/styles/${name}.layer.css`), 'utf8'),
      ).join('');
    },
    transform(code, id) {
      const isOfMantine = /@mantine[\\/]core[\\/]esm[\\/](?:components|utils)[\\/]/.test(id);
      const component = isOfMantine ? /[\\/](\w+)\.module\.mjs$/.exec(id)?.[1] : undefined;
      return component === undefined ? null : `import '@mantine/core/styles/${component}.layer.css';\n${code}`;
    },
  };
}

/** `npm run setup` builds into dist/dashboard, which the gateway serves under /app/. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react(), stylesOfUsedComponents()],
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    // No inline data: the policy of the pages allows files of this host only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    // Otherwise every small module that two pages share becomes a file: one page needed 25 requests.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Unchanged, and so kept by browsers, when the dashboard changes.
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|react-router|scheduler)[\\/]/ },
            { name: 'first', tags: ['$initial'] },
            { name: 'shared', minShareCount: 3 },
          ],
        },
      },
    },
  },
  // `npx vite apps/dashboard` beside a running `npm start`.
  server: { proxy: { '/graphql': { target: 'http://127.0.0.1:3000', ws: true }, '/app/api': 'http://127.0.0.1:3000' } },
});

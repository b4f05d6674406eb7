import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run setup` builds into dist/dashboard, which the gateway serves under /app/. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
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

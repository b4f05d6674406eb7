import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** A bundle of its own, so that the dashboard stays small. The gateway serves it at /graphql. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/graphql/',
  plugins: [react()],
  build: {
    outDir: '../../../dist/dashboard/graphiql',
    emptyOutDir: true,
    // No inline data: the policy of the page allows files of this host only.
    assetsInlineLimit: 0,
    // The editor alone has 2 MB.
    chunkSizeWarningLimit: 5_000,
    rolldownOptions: {
      // Directives of the React compiler, which mean nothing to a bundle.
      onwarn: (warning, handle) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(warning)),
    },
  },
});

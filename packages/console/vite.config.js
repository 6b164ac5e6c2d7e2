import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: {
    // As the contract's files import it.
    alias: [
      {
        find: /^(\.\/schema\.ts|#schema)$/,
        replacement: fileURLToPath(new URL('src/api/no-schemas.ts', import.meta.url)),
      },
    ],
  },
  build: {
    target: 'es2022',
    // The page's Content-Security-Policy allows no inline script; every browser of the last years preloads modules by itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: true,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // One file of all that every page needs: it compresses better than the dozens that Rolldown would make.
        codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] },
      },
    },
  },
})

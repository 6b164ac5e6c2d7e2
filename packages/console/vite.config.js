import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const colorSchemeSource = fileURLToPath(new URL('src/color-scheme.js', import.meta.url))

export default defineConfig({
  base: '/console/',
  plugins: [react(), bundleOperations(), showFrameFirst()],
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
    // The licences of the packages in the bundle ask for their texts beside it.
    license: { fileName: 'licences.json' },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // One file of all that every page needs: it compresses better than the dozens that Rolldown would make.
        codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] },
      },
    },
  },
})

/** Leaves the schemas and summaries of the management API to the server: the console reads methods, paths and lists of names. */
function bundleOperations() {
  return {
    name: 'bundle-operations',
    apply: 'build',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith('/contract/src/manage.ts')) return undefined
      const manage = await import('@querent/contract/manage')
      const rows = Object.values(manage.operations).map(row => [
        row.id,
        { method: row.method, path: row.path },
      ])
      const lists = Object.entries(manage).filter(([, value]) => Array.isArray(value))
      return Object.entries({ operations: Object.fromEntries(rows), ...Object.fromEntries(lists) })
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
        .join('\n')
    },
  }
}

/** Moves the style sheet behind the frame of index.html, which the browser then shows without waiting for it, and adds color-scheme.js. */
function showFrameFirst() {
  return {
    name: 'show-frame-first',
    apply: 'build',
    buildStart() {
      const source = readFileSync(colorSchemeSource, 'utf8')
      this.emitFile({ type: 'asset', name: 'color-scheme.js', source })
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const file = Object.values(bundle).find(({ names }) => names?.includes('color-scheme.js'))
        const style = /\s*<link rel="stylesheet"[^>]*>/.exec(html)?.[0]
        if (!file || !style) throw new Error('found no style sheet in index.html, or no color-scheme.js')
        return (
          html
            .replace(style, '')
            .replace('</head>', `  <script async src="/console/${file.fileName}"></script>\n  </head>`)
            // Before the root, where Mantine adds the variables that override those of the style sheet.
            .replace('<div id="root">', `${style.trim()}\n    <div id="root">`)
        )
      },
    },
  }
}

/** The documentation site (https://vitepress.dev): `npm run docs` builds it, and the server serves it at `/console/docs/`. */
import { fileURLToPath } from 'node:url'
import { defineConfig, type HeadConfig } from 'vitepress'
import { listLicences } from './licences.ts'
import { linkGeneratedPages, slugify, unlinkOtherFiles } from './links.ts'
import { writePlainText } from './plain-text.ts'
import { sidebar } from './sidebar.ts'
import { adaptMarkdown, codeColors, codeStyleSheet, moveInlineParts, writeCodeColors } from './strict-csp.ts'

const isDevelopment = process.argv.includes('dev')
/** The component in place of the search of VitePress. */
const docsSearch = fileURLToPath(new URL('theme/docs-search.ts', import.meta.url))
/** Absolute, because pages are in several folders. */
const base = process.env.DOCS_BASE ?? '/console/docs/'
const icon: HeadConfig = ['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]
const codeStyles: HeadConfig = ['link', { rel: 'stylesheet', href: `${base}${codeStyleSheet}` }]

/** A server searches its documentation with a collection of its own (theme/docs-search.ts). Elsewhere the pages search themselves. */
const isServed = base === '/console/docs/' && !isDevelopment

/**
 * The search of VitePress: every word counts, headings most, and short words have no typos: "add synonyms" found "and" and "querent members
 * add". No functions, because the site would make them from text, which a Content-Security-Policy forbids.
 */
const searchOptions = {
  combineWith: 'AND',
  prefix: true,
  fuzzy: 0.12,
  boost: { title: 8, titles: 2, text: 1 },
  weights: { fuzzy: 0.2, prefix: 0.3 },
} as const

export default defineConfig({
  base,
  lang: 'en',
  title: 'Querent',
  description: 'A self-hosted search API with its own OAuth 2.0 authorization server',
  rewrites: { 'README.md': 'index.md' },
  // The galleries of pictures.
  srcExclude: ['images/**'],
  head: isDevelopment ? [icon] : [icon, codeStyles],
  // It would add an inline style.
  appearance: { disableTransition: false },
  // Data of all pages in a file instead of an inline script.
  metaChunk: true,
  markdown: {
    anchor: { slugify },
    // Braces in a heading are not attributes.
    attrs: { disable: true },
    codeTransformers: isDevelopment ? [] : [codeColors],
    languageAlias: { caddyfile: 'nginx', haproxy: 'ini', ndjson: 'json', ntriples: 'turtle' },
    // The usual themes have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      linkGeneratedPages(md)
      unlinkOtherFiles(md)
      adaptMarkdown(md)
    },
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    sidebar,
    outline: [2, 3],
    ...(!isServed && { search: { provider: 'local' as const, options: { miniSearch: { searchOptions } } } }),
  },
  vite: {
    logLevel: 'warn',
    resolve: { alias: isServed ? [{ find: /^.*\/VPNavBarSearch\.vue$/, replacement: docsSearch }] : [] },
    build: { chunkSizeWarningLimit: 2000 },
    plugins: [
      {
        name: 'list-licences',
        apply: 'build',
        // The licences of the packages in the bundle ask for their texts beside it.
        generateBundle(_, bundle) {
          const modules = Object.values(bundle).flatMap(chunk =>
            chunk.type === 'chunk' ? Object.keys(chunk.modules) : [],
          )
          this.emitFile({ type: 'asset', fileName: 'licences.json', source: listLicences(modules) })
        },
      },
    ],
  },
  transformHtml: (html, _, { siteConfig }) => moveInlineParts(html, base, siteConfig.outDir),
  buildEnd({ srcDir, outDir, site: { title, description } }) {
    writeCodeColors(outDir)
    writePlainText({ srcDir, outDir, base, title, description, sidebar })
  },
})

// Builds the console into dist/ where its sources changed since it was built last. Run by `npm install` in a checkout (`prepare`); the
// published package brings dist/ along.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

const folder = fileURLToPath(new URL('.', import.meta.url))
const docs = join(folder, '..', '..', 'docs', '.vitepress', 'dist')
// Says which sources dist/ was built from.
const builtFrom = join(folder, 'dist', 'sources.sha256')

const sources = sourceHash()
if (!existsSync(builtFrom) || readFileSync(builtFrom, 'utf8') !== sources) {
  // Beside the old one, and put in its place when it is whole: a server that starts meanwhile finds a console.
  const target = join(folder, 'dist.new')
  await build({ root: folder, logLevel: 'warn', build: { outDir: target, emptyOutDir: true } })
  compress(target)
  await buildDemo(join(target, 'demo'))
  writeFileSync(join(target, 'sources.sha256'), sources)
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  renameSync(target, join(folder, 'dist'))
  console.log('[querent] Built the console.')
}
await addDocs(join(folder, 'dist', 'docs'))

// The pages of `querent demo`, which have nothing of the console but its icon.
async function buildDemo(target) {
  const output = { outDir: target, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0 }
  await build({
    configFile: false,
    root: join(folder, 'demo'),
    publicDir: join(folder, 'public'),
    base: '/demo/',
    logLevel: 'warn',
    build: {
      ...output,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: ['index.html', 'cities/index.html'].map(page => join(folder, 'demo', page)) },
    },
  })
  compress(target)
}

// The documentation site, which the pages of the console link to. It has sources of its own.
async function addDocs(target) {
  await import('../../tools/docs/build.ts')
  const version = path => existsSync(path) && readFileSync(join(path, 'sources.sha256'), 'utf8')
  if (version(target) === version(docs)) return
  const copy = join(folder, 'docs.new')
  rmSync(copy, { recursive: true, force: true })
  cpSync(docs, copy, { recursive: true })
  compress(copy)
  rmSync(target, { recursive: true, force: true })
  renameSync(copy, target)
}

// Once, and as small as can be; the server sends these files as they are.
function compress(target) {
  for (const path of globSync('assets/**/*.{js,css}', { cwd: target })) {
    const bytes = readFileSync(join(target, path))
    writeFileSync(join(target, `${path}.br`), brotliCompressSync(bytes))
    writeFileSync(join(target, `${path}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

function sourceHash() {
  const hash = createHash('sha256')
  const consoleFiles = globSync(['index.html', 'package.json', '*.js', 'public/**', 'src/**', 'demo/**'], {
    cwd: folder,
  })
  // It bundles these two.
  const shared = globSync(['contract/src/**/*.ts', 'client/src/**/*.ts'], { cwd: join(folder, '..') })
  const files = [...consoleFiles, ...shared.map(path => join('..', path))]
  for (const path of files.filter(isSource).sort())
    hash.update(`\0${path}\0`).update(readFileSync(join(folder, path)))
  return hash.digest('hex')
}

function isSource(path) {
  return /\.\w+$/.test(path) && !/\.(test|suite)\.tsx?$/.test(path)
}

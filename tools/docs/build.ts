/**
 * `npm run docs`: generates docs/reference/ from the code, and builds the documentation site of docs/ where its sources changed since it was built last. The console's build uses the
 * result (packages/console/build.js), which the server serves at `/console/docs/`. With `--base /` the site is for another server, which
 * serves it at that path.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeReference } from './reference.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'docs')
/** The result. It contains `sources.sha256`, which says what it was built from. */
const site = join(source, '.vitepress', 'dist')

const options = { base: { type: 'string', default: '/console/docs/' } } as const
// The console's build imports this file. Its arguments are not for us.
const isMain = process.argv[1] === fileURLToPath(import.meta.url)
const { values } = parseArgs({ options, args: isMain ? process.argv.slice(2) : [] })
if (!/^\/([\w.-]+\/)*$/.test(values.base)) throw new Error('--base needs a path such as /docs/')
process.env.DOCS_BASE = values.base

rmSync(join(source, 'reference'), { recursive: true, force: true })
mkdirSync(join(source, 'reference'))
for (const [path, text] of Object.entries(await writeReference())) writeFileSync(join(source, path), text)

const sources = hashSources()
if (
  !existsSync(join(site, 'sources.sha256')) ||
  readFileSync(join(site, 'sources.sha256'), 'utf8') !== sources
) {
  rmSync(site, { recursive: true, force: true })
  const { build } = await import('vitepress')
  await build(source)
  cpSync(join(root, 'packages', 'console', 'public', 'icon.svg'), join(site, 'icon.svg'))
  writeFileSync(join(site, 'sources.sha256'), sources)
  console.log('[querent] Built the documentation.')
}

function hashSources(): string {
  const hash = createHash('sha256').update(values.base)
  const patterns = [
    'docs/**/*.md',
    'docs/images/**/*.png',
    'docs/.vitepress/*.ts',
    'docs/.vitepress/theme/*',
    'tools/docs/*.ts',
  ]
  for (const path of globSync([...patterns, 'package-lock.json'], { cwd: root }).sort())
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

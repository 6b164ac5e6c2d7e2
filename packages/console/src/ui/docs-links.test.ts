import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import GithubSlugger from 'github-slugger'
import { docsAddress, docsTargets } from './docs-links.ts'

const docs = join(import.meta.dirname, '..', '..', '..', '..', 'docs')

/** Anchors of the headings of a page, as GitHub makes them. */
const readAnchors = (file: string): string[] => {
  const slugger = new GithubSlugger()
  const text = readFileSync(join(docs, file), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    slugger.slug(heading.replaceAll('`', '')),
  )
}

test('each page and anchor that the console links to exists in docs/', () => {
  for (const target of docsTargets) {
    const [file = '', anchor] = target.split('#')
    const anchors = readAnchors(file)
    if (anchor !== undefined) assert.ok(anchors.includes(anchor), target)
  }
})

test('a page without documentation of its own leads to that of the page above it, or to the start', () => {
  assert.equal(docsAddress('/w/$workspace/data/$collection/'), docsAddress('/w/$workspace/data/$collection'))
  assert.match(docsAddress('/w/$workspace/settings/audit-log'), /people\.html#audit-log$/)
  assert.equal(docsAddress('/nowhere'), '/console/docs/index.html')
})

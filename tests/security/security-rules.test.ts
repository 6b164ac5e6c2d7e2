/** docs/security.md names a test for each rule. All of them exist, and each rule has a test or says why not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocument, readTestNames } from '#tests/support/named-tests'

const document = await readDocument('security.md')

const namedTests = [...document.matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.+)$/gm)]

test('every test that docs/security.md names exists', async () => {
  const files = new Map<string, Set<string>>()
  for (const [, file = ''] of namedTests) files.set(file, files.get(file) ?? (await readTestNames(file)))
  const missing = namedTests.filter(([, file = '', name = '']) => !files.get(file)?.has(name))
  assert.deepEqual(
    missing.map(([line]) => line),
    [],
  )
  assert.ok(namedTests.length > 80)
  assert.equal(namedTests.length, [...document.matchAll(/^- /gm)].length, 'each item is of this form')
})

test('each rule has a test, refers to another rule, or says that the feature does not exist', () => {
  const sections = document.split(/^### /m).slice(1)
  assert.ok(sections.length > 35)
  for (const section of sections)
    assert.match(section, /^- \[|[Nn]ot there|[Nn]ot offered|\b[Ss]ee \d/m, section.split('\n')[0])
})

test('docs/security.md has each section of RFC 9700 2 and 4', () => {
  const headings = [...document.matchAll(/^### ([\d.]+) /gm)].map(([, number]) => number)
  const requiredSections = ['2.1', '2.1.1', '2.1.2', '2.2.1', '2.2.2', '2.3', '2.4', '2.5', '2.6']
  for (let section = 1; section <= 17; section++) requiredSections.push(`4.${section}`)
  assert.deepEqual(
    requiredSections.filter(number => !headings.includes(number)),
    [],
  )
})

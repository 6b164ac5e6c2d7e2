/** docs/security-requirements.md has every requirement of ASVS 5.0, level 2, of four chapters. All tests that it names exist. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocument, readTestNames } from '#tests/support/named-tests'

const document = await readDocument('security-requirements.md')
const rows = document
  .split('\n')
  .filter(line => /^\| [\d.]+ /.test(line))
  .map(line => line.split('|').map(cell => cell.trim()))
  .map(([, number = '', requirement = '', answer = '', tests = '']) => ({
    number,
    requirement,
    answer,
    tests,
  }))

/** How many requirements of level 1 and 2 each section of ASVS 5.0.0 has; they come before those of level 3. */
const sections: Readonly<Record<string, number>> = {
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.3': 4,
  '10.4': 11,
  '10.5': 5,
  '10.6': 2,
  '10.7': 3,
}

test('docs/security-requirements.md has each requirement of level 2 once, in order', () => {
  const expectedNumbers = Object.entries(sections).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  )
  const [asvs = ''] = document.split('## NIST')
  assert.deepEqual(
    rows.map(({ number }) => number).filter(number => asvs.includes(`| ${number} `)),
    expectedNumbers,
  )
})

test('each requirement has a test, or says why it needs none', () => {
  for (const { number, requirement, answer, tests } of rows) {
    assert.ok(requirement.length > 5, number)
    assert.ok(tests === '—' ? answer.length > 20 : tests.startsWith('['), number)
  }
  assert.ok(rows.filter(({ tests }) => tests !== '—').length > 70)
})

test('every test that docs/security-requirements.md names exists', async () => {
  const files = new Map<string, Set<string>>()
  for (const { number, tests } of rows) {
    if (tests === '—') continue
    for (const item of tests.split('<br>')) {
      const [, file = '', name = ''] = /^\[[^\]]+\]\(([^)]+)\): (.+)$/.exec(item) ?? []
      const names = files.get(file) ?? (await readTestNames(file))
      files.set(file, names)
      assert.ok(names.has(name), `${number}: ${item}`)
    }
  }
})

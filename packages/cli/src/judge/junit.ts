/** Writes outcomes of relevance tests for CI systems: https://github.com/testmoapp/junitxml */
import type { TestOutcome } from './run-tests.ts'

const escapeXml = (text: string): string =>
  text
    // XML 1.0, section 2.2, does not allow most control characters.
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

export const writeJunit = (workspace: string, outcomes: readonly TestOutcome[]): string => {
  const failures = outcomes.filter(({ passed }) => !passed).length
  const cases = outcomes.map(outcome => {
    const { name, metric, value, atLeast, failedQueries, passed } = outcome
    const start = `    <testcase classname="${escapeXml(workspace)}" name="${escapeXml(name)}"`
    if (passed) return `${start}/>`
    const message = `${metric} is ${value.toFixed(3)}, at least ${atLeast} is expected`
    const details = failedQueries.map(({ query, value: low }) => `${low.toFixed(3)} ${query}`).join('\n')
    return `${start}>\n      <failure message="${escapeXml(message)}">${escapeXml(details)}</failure>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${outcomes.length}" failures="${failures}">`,
    `  <testsuite name="${escapeXml(workspace)}" tests="${outcomes.length}" failures="${failures}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

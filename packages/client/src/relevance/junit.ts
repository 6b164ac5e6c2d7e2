/**
 * Writes reports of relevance tests for CI systems: https://github.com/testmoapp/junitxml. No library, because the client has no
 * dependencies and these are four elements.
 */
import type { LeakTestOutcome } from '@querent/contract/relevance-tests'
import { describeLeak, type Report, type ReportedTest } from './report.ts'

/** Characters that XML does not allow (XML 1.0, section 2.2). */
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeXml = (text: string): string =>
  text.replace(illegal, '\ufffd').replace(/[&<>"]/g, character => entities[character] ?? '')

const writeAttributes = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')

export const writeJunit = ({ workspace, config, failed, tests, leakTests = [] }: Report): string => {
  const counts = { tests: tests.length + leakTests.length, failures: failed }
  const suite = config === undefined ? workspace : `${workspace}, ${config}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${writeAttributes(counts)}>`,
    `  <testsuite${writeAttributes({ name: suite, ...counts })}>`,
    ...tests.map(test => writeTestCase(suite, test)),
    ...leakTests.map(test => writeLeakTest(suite, test)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const writeTestCase = (
  suite: string,
  { name, metric, value, atLeast, failedQueries, passed }: ReportedTest,
): string => {
  const start = `    <testcase${writeAttributes({ classname: suite, name })}`
  if (passed) return `${start}/>`
  const message = `${metric} is ${value.toFixed(3)}, at least ${atLeast} is expected`
  const details = failedQueries.map(describeFailedQuery).join('\n')
  return `${start}>
      <failure${writeAttributes({ message })}>${escapeXml(details)}</failure>
    </testcase>`
}

const writeLeakTest = (suite: string, test: LeakTestOutcome): string => {
  const start = `    <testcase${writeAttributes({ classname: suite, name: test.name })}`
  if (test.passed) return `${start}/>`
  return `${start}>
      <failure${writeAttributes({ message: describeLeak(test) })}/>
    </testcase>`
}

const describeFailedQuery = ({ query, value, missing }: ReportedTest['failedQueries'][number]): string =>
  `${value.toFixed(3)} ${query}${missing.length === 0 ? '' : `: not found: ${missing.join(', ')}`}`

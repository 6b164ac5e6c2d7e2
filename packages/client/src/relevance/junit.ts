/** Writes reports of relevance tests for CI systems: https://github.com/testmoapp/junitxml */
import XMLBuilder from 'fast-xml-builder'
import type { Report, ReportedTest } from './report.ts'

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', format: true })

/** Replaces the characters that XML does not allow (XML 1.0, section 2.2). */
const replaceIllegal = (text: string): string =>
  text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')

export const writeJunit = ({ workspace, config, failed, tests }: Report): string => {
  const counts = { '@tests': tests.length, '@failures': failed }
  const suite = config === undefined ? workspace : `${workspace}, ${config}`
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      ...counts,
      testsuite: {
        '@name': suite,
        ...counts,
        testcase: tests.map(test => testCase(suite, test)),
      },
    },
  })
}

const testCase = (suite: string, { name, metric, value, atLeast, failedQueries, passed }: ReportedTest) => ({
  '@classname': suite,
  '@name': replaceIllegal(name),
  ...(!passed && {
    failure: {
      '@message': `${metric} is ${value.toFixed(3)}, at least ${atLeast} is expected`,
      '#text': replaceIllegal(failedQueries.map(describeFailedQuery).join('\n')),
    },
  }),
})

const describeFailedQuery = ({ query, value, missing }: ReportedTest['failedQueries'][number]): string =>
  `${value.toFixed(3)} ${query}${missing.length === 0 ? '' : `: not found: ${missing.join(', ')}`}`

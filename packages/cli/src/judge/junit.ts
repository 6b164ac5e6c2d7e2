/** Writes outcomes of relevance tests for CI systems: https://github.com/testmoapp/junitxml */
import XMLBuilder from 'fast-xml-builder'
import type { TestOutcome } from './run-tests.ts'

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', format: true })

/** Replaces the characters that XML does not allow (XML 1.0, section 2.2). */
const replaceIllegal = (text: string): string =>
  text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')

export const writeJunit = (workspace: string, outcomes: readonly TestOutcome[]): string => {
  const counts = {
    '@tests': outcomes.length,
    '@failures': outcomes.filter(({ passed }) => !passed).length,
  }
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      ...counts,
      testsuite: {
        '@name': workspace,
        ...counts,
        testcase: outcomes.map(outcome => testCase(workspace, outcome)),
      },
    },
  })
}

const testCase = (
  workspace: string,
  { name, metric, value, atLeast, failedQueries, passed }: TestOutcome,
) => ({
  '@classname': workspace,
  '@name': replaceIllegal(name),
  ...(!passed && {
    failure: {
      '@message': `${metric} is ${value.toFixed(3)}, at least ${atLeast} is expected`,
      '#text': replaceIllegal(
        failedQueries.map(({ query, value: low }) => `${low.toFixed(3)} ${query}`).join('\n'),
      ),
    },
  }),
})

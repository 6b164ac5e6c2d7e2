import type { TestOutcome } from '@querent/client/relevance/run-tests'
import { type StackedEndpoint, writeStack } from '@querent/contract/paths'

/** The search of a test, as Try it has it in its address. */
export const writeTryItSearch = (
  test: Pick<TestOutcome, 'endpoint' | 'parameter'>,
  query: string,
  config: string | undefined,
) => ({
  stack: writeStack(testStack(test, query)),
  ...(config === undefined || config === 'default' ? {} : { config }),
})

export const testStack = (
  { endpoint, parameter }: Pick<TestOutcome, 'endpoint' | 'parameter'>,
  query: string,
): StackedEndpoint[] => [{ endpoint, parameters: [{ name: parameter, value: query }] }]

import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { describeEndpoint, isLiveText } from './search-draft.ts'

/** The text that a query searches for. Judgments and curation belong to it. */
export interface TextQuery {
  endpoint: string
  kind: string
  parameter: string
  text: string
}

/** Returns the text of a query; undefined if it has none or several. */
export const findTextQuery = (
  stack: readonly StackedEndpoint[],
  description: ApiDescription,
): TextQuery | undefined => {
  const texts = stack.flatMap(({ endpoint, parameters }) => {
    const described = describeEndpoint(description, endpoint)
    if (!described) return []
    const textNames = described.parameters
      .filter(({ type }) => isLiveText(described, type))
      .map(({ name }) => name)
    return parameters
      .filter(({ name }) => textNames.includes(name))
      .map(({ name, value }) => ({ endpoint, kind: described.kind, parameter: name, text: value }))
  })
  const [query, ...others] = texts
  return query && others.length === 0 && query.text.trim() !== '' ? query : undefined
}

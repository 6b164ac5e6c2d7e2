/** The search in the address of "Try it", with the stack as in a query path, so that a link shows the same search to another person. */
import { PathError, readApiRequest, type StackedEndpoint, writeStack } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'

export interface TryItSearch {
  /** `e/search/p/query/striped%20cat` */
  stack?: string | undefined
  config?: string | undefined
  /** From 1. */
  page?: number | undefined
  /** E-mail address of a member, to see what they see. */
  as?: string | undefined
  /** Shown instead of the results. */
  show?: ShownView | undefined
  /** One line for each result. */
  view?: 'compact' | undefined
  /** The query to compare with, as `stack`. */
  with?: string | undefined
  /** Its configuration. */
  withConfig?: string | undefined
}

const shownViews = ['map', 'compare', 'json', 'code'] as const
type ShownView = (typeof shownViews)[number]
export const readView = (value: unknown): ShownView | undefined => shownViews.find(view => view === value)

/** Results on one page. */
export const pageSize = 10

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const readSearch = (search: Record<string, unknown>): TryItSearch => {
  const { page } = search
  return {
    stack: toText(search.stack),
    config: toText(search.config),
    page: typeof page === 'number' && Number.isInteger(page) && page > 1 && page <= 1001 ? page : undefined,
    as: toText(search.as),
    show: readView(search.show),
    view: search.view === 'compact' ? 'compact' : undefined,
    with: toText(search.with),
    withConfig: toText(search.withConfig),
  }
}

/** Parses a stack; returns an empty one for invalid text. */
export const readStack = (text: string | undefined): StackedEndpoint[] => {
  if (text === undefined) return []
  try {
    const request = readApiRequest([...text.split('/'), 'results'])
    return request.kind === 'query' ? request.stack : []
  } catch (error) {
    if (error instanceof PathError) return []
    throw error
  }
}

export const writeSearchStack = (stack: readonly StackedEndpoint[]): string | undefined =>
  stack.length === 0 ? undefined : writeStack(stack)

/** Returns the steps that lack a required parameter. */
export const findIncompleteSteps = (
  stack: readonly StackedEndpoint[],
  description: ApiDescription,
): StackedEndpoint[] =>
  stack.filter(({ endpoint, parameters }) => {
    const described = description.endpoints.find(({ name }) => name === endpoint)
    return described?.parameters.some(
      ({ name, required }) => required && !parameters.some(parameter => parameter.name === name),
    )
  })

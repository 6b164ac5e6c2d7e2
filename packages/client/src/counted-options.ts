/** Results whose tuples have a second column (query-service.md, `facet`). */
import type { Results } from './replies.ts'

/** An option of a facet and the number of results with its value. */
export interface CountedOption<Option> {
  option: Option
  count: number
}

/**
 * Returns the options and counts in the results of a facet with `columns: [OBJ, DOUBLE]`, in their order. The declared type of `tuple` has the first column
 * only, because nearly all results have no other. Results without a second column have no counted options.
 */
export const readCountedOptions = <Option>({
  items,
}: Pick<Results<Option>, 'items'>): CountedOption<Option>[] =>
  items.flatMap(({ tuple: [option, count] }) =>
    option !== undefined && typeof count === 'number' ? [{ option, count }] : [],
  )

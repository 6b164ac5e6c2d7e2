/** Filters the options of a facet by the start of a word, by the rules of the addon. */
import { createNativeOptionFilter } from '@querent/engine'

/** Returns a test of options. Every option passes a blank text. */
export const createOptionFilter = (text: string): ((option: string) => boolean) => {
  const filter = createNativeOptionFilter(text)
  return option => filter.accepts(option)
}

/** English titles of endpoints that a proposal makes. The console shows them in the person's language. */
export const proposedTitles = {
  search: 'Search',
  suggest: 'Suggestions while people type',
  all: 'Everything',
  document: 'One document',
  near: 'Near a place',
  nearest: 'Nearest first',
} as const

/** The same for titles that begin with that of a field. */
export const proposedTitleEnds = {
  between: ' between',
  near: ' near a place',
  nearest: ', nearest first',
  oldest: ', oldest first',
  newest: ', newest first',
  lowest: ', lowest first',
  highest: ', highest first',
  alphabetic: ', A to Z',
  tie: ' breaks ties',
} as const

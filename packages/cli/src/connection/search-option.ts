import { allItems } from '@querent/client/manage'
import type { Option } from 'commander'
import { option } from '#command-line/define'

export interface SearchOptions {
  search?: string
}

/** Creates `--search`, which limits a list to matching items. */
export const searchOption = (description: string): Option => option('--search <text>', description)

type Query = Parameters<Parameters<typeof allItems>[0]>[0] & SearchOptions

/** Lists all items, or those that match `--search`. Passes errors of `listPage` on. */
export const listMatching = <Item>(
  { search }: SearchOptions,
  listPage: (query: Query) => Promise<{ items: Item[]; next: string | null }>,
): Promise<Item[]> => allItems(page => listPage({ ...page, ...(search === undefined ? {} : { search }) }))

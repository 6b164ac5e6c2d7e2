import { allItems } from '@querent/client'
import type { Option } from 'commander'
import { option } from '#command-line/define'

export interface SearchOptions {
  search?: string
}

/** Keeps a list to what is searched for; `what` of it begins so. */
export const searchOption = (what: string): Option => option('--search <text>', what)

type Query = Parameters<Parameters<typeof allItems>[0]>[0] & SearchOptions

/** All that is there, or is found by `--search`. Throws what `listPage` throws. */
export const allFound = <Item>(
  { search }: SearchOptions,
  listPage: (query: Query) => Promise<{ items: Item[]; next: string | null }>,
): Promise<Item[]> => allItems(page => listPage({ ...page, ...(search === undefined ? {} : { search }) }))

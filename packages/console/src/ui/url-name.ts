import { writeLatin } from '@querent/contract/latin-letters'

/** Turns a title into a name for addresses (workspace-file.md: a-z 0-9 -, 1 to 63 characters). */
export const toUrlName = (title: string): string =>
  writeLatin(title)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)

/** The sign between several values of one text (workspace-file.md, What a field takes). */
import type { Field } from './workspace-file.ts'

/** Returns the separator between several values of one text; undefined for a field whose texts are one value. */
export const readListSeparator = (field: Field | undefined): string | undefined =>
  field !== undefined && 'listSeparator' in field ? field.listSeparator : undefined

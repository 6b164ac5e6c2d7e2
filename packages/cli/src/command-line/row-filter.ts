/** The option `--filter` of commands that give rights. */
import type { RowFilter } from '@querent/contract/manage'
import { option } from './define.ts'
import { UsageError } from './failure.ts'

export const rowFilterOption = () => option('--filter <json>', 'row filter as JSON; {} opens everything')

/** The server checks the conditions. Throws {@link UsageError} if the text is no JSON. */
export const readRowFilter = (text: string): RowFilter => {
  try {
    return JSON.parse(text) as RowFilter
  } catch {
    throw new UsageError(
      `--filter: found ${JSON.stringify(text)}, allowed: JSON such as {"department":["press"]}`,
    )
  }
}

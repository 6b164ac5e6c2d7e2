import { type DocumentFormat, detectFormat } from '@querent/contract/document-format'
import { UsageError } from '#command-line/failure'
import type { Input } from './open-inputs.ts'

/** Returns the format of the files, by their endings and beginnings. Throws {@link UsageError} for files of more than one format. */
export const chooseFormat = (inputs: readonly Input[]): DocumentFormat => {
  const formats = new Set(inputs.map(({ file, beginning }) => detectFormat(file, beginning.toString())))
  const [format = 'ndjson', otherFormat] = formats
  if (otherFormat !== undefined)
    throw new UsageError(
      `the files have the formats ${format} and ${otherFormat}: import each format with its own command, with --replace at most on the first; if all files have one format, give --format`,
    )
  return format
}

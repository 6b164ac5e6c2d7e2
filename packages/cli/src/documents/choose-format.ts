import {
  type DocumentFormat,
  detectFormat,
  findBinaryKind,
  findOtherFormat,
  isArchive,
} from '@querent/contract/document-format'
import { UsageError } from '#command-line/failure'
import type { Input } from './open-inputs.ts'

/** Returns the format of the files, by their endings and beginnings. Throws {@link UsageError} for files of more than one format, and for those that are no text. */
export const chooseFormat = (inputs: readonly Input[]): DocumentFormat => {
  for (const { file, beginning } of inputs) {
    const otherFormat = findOtherFormat(file, beginning)
    if (otherFormat !== undefined)
      throw new UsageError(`${file} is ${otherFormat}: convert it to CSV, NDJSON or JSON, and use that file`)
    const kind = findBinaryKind(beginning)
    if (kind === 'spreadsheet' && isArchive(file))
      throw new UsageError(`${file} is an archive: unpack it, and use a file inside`)
    if (kind === 'spreadsheet')
      throw new UsageError(`${file} is a spreadsheet: save it as "CSV UTF-8", and use that file`)
    if (kind === 'binary') throw new UsageError(`${file} is no text: use CSV, NDJSON or JSON`)
  }
  const formats = new Set(inputs.map(({ file, beginning }) => detectFormat(file, beginning.toString())))
  const [format = 'ndjson', otherFormat] = formats
  if (otherFormat !== undefined)
    throw new UsageError(
      `the files have the formats ${format} and ${otherFormat}: import each format with its own command, with --replace at most on the first; if all files have one format, give --format`,
    )
  return format
}

import { extname } from 'node:path'
import type { DocumentFormat } from '@querent/client/documents'
import { UsageError } from '#command-line/failure'

const endings: Readonly<Record<string, DocumentFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
}

/** Returns the format that the extensions of the files mean. Throws {@link UsageError} for files of more than one format. */
export const chooseFormat = (files: string[]): DocumentFormat => {
  const formats = new Set(
    files.map(file => endings[extname(file.replace(/\.gz$/i, '')).toLowerCase()] ?? 'ndjson'),
  )
  const [format = 'ndjson', otherFormat] = formats
  if (otherFormat !== undefined)
    throw new UsageError(
      `the file extensions mean ${format} and ${otherFormat}: import each format with its own command, with --replace at most on the first; if all files have one format, give --format`,
    )
  return format
}

/** Says why a file cannot be imported. */
import { findBinaryKind, findOtherFormat, isArchive } from '@querent/contract/document-format'
import { isGzip } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'

/** Bytes of the beginning of a file that show its kind. */
const beginningBytes = 4096

/** Returns undefined for a file of text, or of compressed text, that is not empty. */
export const describeRefusal = async (file: File): Promise<string | undefined> => {
  if (file.size === 0) return t('{file} is empty: choose another one', { file: file.name })
  if (isGzip(file.name)) return undefined
  const beginning = new Uint8Array(await file.slice(0, beginningBytes).arrayBuffer())
  const format = findOtherFormat(file.name, beginning)
  if (format !== undefined)
    return t('{file} is {format}: convert it to CSV, NDJSON or JSON, and drop that file', {
      file: file.name,
      format,
    })
  const kind = findBinaryKind(beginning)
  if (kind === 'spreadsheet' && isArchive(file.name))
    return t('{file} is an archive: unpack it, and drop a file inside', { file: file.name })
  if (kind === 'spreadsheet')
    return t('{file} is a spreadsheet: save it as "CSV UTF-8", and drop that file', { file: file.name })
  if (kind) return t('{file} is no text: choose CSV, NDJSON or JSON', { file: file.name })
  return mayBeJson(beginning) ? (await import('./cut-json.ts')).describeCutJson(file) : undefined
}

/** Whether the text begins with a bracket or a brace. */
const mayBeJson = (beginning: Uint8Array): boolean =>
  /^[\ufeff\ufffd\0\s]*[[{]/.test(new TextDecoder().decode(beginning.subarray(0, 200)))

/** Notices a JSON file that ends too early, before an import creates anything. */
import { beginningCharactersMax, detectFormat } from '@querent/contract/document-format'
import { t } from '#i18n/translate.ts'
import { describeEarlyEnd } from './json-fault.ts'
import { readBeginning } from './read-text.ts'

/** Longer files are looked at by their end only. */
const charactersMax = 8 * 1024 * 1024
const endBytes = 1024

/** Says what is missing at the end of a file that is one JSON value; undefined for other files. */
export const describeCutJson = async (file: File): Promise<string | undefined> => {
  const { text, isCut } = await readBeginning(file, charactersMax)
  if (detectFormat(file.name, text.slice(0, beginningCharactersMax)) !== 'json') return undefined
  if (!isCut) {
    const fault = isJson(text) ? undefined : describeEarlyEnd(text)
    return fault && t('{file} is not complete. {fault}', { file: file.name, fault })
  }
  const end = text.trimStart().replace('\ufeff', '').startsWith('[') ? ']' : '}'
  const lastText = (await file.slice(-endBytes).text()).replace(/[\s\0]+$/, '')
  return lastText.endsWith(end)
    ? undefined
    : t('{file} is not complete: it does not end with “{end}”.', { file: file.name, end })
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''))
    return true
  } catch {
    return false
  }
}

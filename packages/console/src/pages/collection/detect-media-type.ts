import { beginningCharactersMax, detectFormat, documentFormats } from '@querent/contract/document-format'
import { readBeginning } from './read-text.ts'

/** Returns the media type of a file of documents, by its name and its content. */
export const detectMediaType = async (file: File): Promise<string> =>
  documentFormats[detectFormat(file.name, (await readBeginning(file, beginningCharactersMax)).text)]

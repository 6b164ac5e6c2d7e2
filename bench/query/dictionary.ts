/** The searched data: WordNet as in `querent demo`, one document per set of synonyms, with the demo's workspace file. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import type { Definition } from '@querent/contract/workspace-file'
import { pick, randomFrom } from '#bench/random'
import { readWordnet } from '#dictionary/wordnet'

export const workspace = 'dictionary'
export const collection = 'entries'
export const api = 'dictionary'

export const workspaceFile = join(
  import.meta.dirname,
  ...['..', '..', 'packages', 'cli', 'dictionary', 'workspace.yaml'],
)

export const readDefinition = async (): Promise<Definition> => {
  const read = readWorkspaceFile(await readFile(workspaceFile, 'utf8'))
  if ('errors' in read) throw new Error(`${workspaceFile}: ${read.errors[0]?.message}`)
  return read.file
}

const wordForm = /[a-z]{3,}/gi
const stopWords = /^(the|and|for|that|with|not|are|was|into|from|its|has|which|this|their|who|etc)$/

/** Writes the documents as lines of JSON. Returns pairs of words from the same definition, the same in every run. */
export const writeDictionary = async (path: string, pairs: number): Promise<string[]> => {
  const definitions: string[][] = []
  const file = createWriteStream(path)
  for await (const entry of readWordnet()) {
    if (!file.write(`${JSON.stringify(entry)}\n`)) await once(file, 'drain')
    const words = entry.definition.match(wordForm)?.filter(word => !stopWords.test(word)) ?? []
    if (words.length > 1) definitions.push(words)
  }
  file.end()
  await once(file, 'close')
  const random = randomFrom(8)
  const distinctWords = new Set<string>()
  while (distinctWords.size < pairs) {
    const words = pick(random, definitions)
    const [one, other] = [pick(random, words), pick(random, words)]
    if (one !== other) distinctWords.add(`${one} ${other}`)
  }
  return [...distinctWords]
}

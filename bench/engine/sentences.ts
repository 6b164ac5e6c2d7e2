/** Real text for documents: definitions and examples of WordNet, and descriptions of the installed npm packages. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readWordnet } from '#dictionary/wordnet'

export interface Sentence {
  /** Its topic, in one or a few words. */
  title: string
  text: string
  /** For WordNet the lexicographer file, otherwise `software`. */
  topic: string
}

const root = join(import.meta.dirname, '..', '..')
const charsMin = 20
const charsMax = 400

/** Returns all sentences, in the same order for the same lockfile. */
export const readSentences = async (): Promise<Sentence[]> => [...(await ofWordnet()), ...ofPackages()]

const ofWordnet = async (): Promise<Sentence[]> => {
  const sentences: Sentence[] = []
  for await (const { title, definition, examples, domain } of readWordnet())
    for (const text of [definition, ...examples]) sentences.push({ title, text, topic: domain })
  return sentences
}

const ofPackages = (): Sentence[] =>
  globSync(['node_modules/*/', 'node_modules/@*/*/'], { cwd: root })
    .toSorted()
    .flatMap(folder => {
      const files = globSync('{package.json,[Rr][Ee][Aa][Dd][Mm][Ee].md}', {
        cwd: join(root, folder),
      }).toSorted()
      return files.flatMap(name => {
        const text = readFileSync(join(root, folder, name), 'utf8')
        const title = folder.split(/[\\/]/).slice(1).join(' ').trim()
        const texts = name === 'package.json' ? [readDescription(text)] : extractProse(text)
        return texts.filter(isProse).map(text => ({ title, text, topic: 'software' }))
      })
    })

const readDescription = (manifest: string): string => String(JSON.parse(manifest).description ?? '')

/** Returns the sentences of a README outside its code. */
const extractProse = (markdown: string): string[] =>
  markdown
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[[\]*`<>|]/g, '')
    .split(/(?<=\.)\s|\n/)
    .map(sentence => sentence.trim())

const isProse = (text: string): boolean =>
  text.length >= charsMin && text.length <= charsMax && text.split(' ').length >= 4

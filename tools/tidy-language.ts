/** Rules about the language of names, comments and documents, checked one file at a time. Pure. */
import type { Remark } from './tidy-imports.ts'

/** Participles, prepositions and pronouns, which do not say what a value is. */
const bareNames = new Set(
  `about above after again against all amid among answered answering any anything as asked asking at bare because before begun behind
  beside between beyond both brought built but by called carried caught come coming counted drawn each either else ended everything found
  given going gone got had heard held here how in instead into its itself kept known later least left less lost made many meant met more
  most named needed neither none nor noted nothing of off often on once only opened opening or other others otherwise out outside over own
  past promised put reached refused said same seen sent shown so some something sought spoken still stood such taken tells than that their
  them then there these they thing things this those thought through thus till to together told too took tried under undone until unless
  untold upon used via wanted was were what when where whether which while who whoever whole whom whose why with within without wont worked
  written yet`.split(/\s+/),
)

const declaration =
  /(?<![\w$.])(?:const|let|var|using|function\*?|class|interface|type|enum)\s+([A-Za-z_$][\w$]*)/g

const stringOrComment =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm

/** Blanks strings and comments, and keeps the lines. */
const withoutText = (text: string): string =>
  text.replace(stringOrComment, part => part.replace(/[^\n]/g, ' '))

/** Reports declarations whose name is a bare word or ends in `Of`. */
export const declarationRemarks = (path: string, text: string): Remark[] => {
  return withoutText(text)
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(declaration)].flatMap(([, name = '']) => {
        const line = index + 1
        if (bareNames.has(name.toLowerCase()))
          return [
            {
              path,
              line,
              message: `"${name}" does not say what it is: use a noun, or a verb for a function`,
            },
          ]
        if (/[a-z]Of$/.test(name))
          return [
            {
              path,
              line,
              message: `"${name}" ends in Of: start with a verb, as in readFilters for filtersOf`,
            },
          ]
        return []
      }),
    )
}

/** A clause as the subject, such as "What is kept is …". Questions are fine. */
const bareOpening = /^(?:What|Who|Whoever|Whom|Whose|Of|That|Which|Nor|Neither)\b(?!.*\?\s*$)/

interface Block {
  /** Line of the first character, from 1. */
  line: number
  text: string
}

/** Returns block comments, and runs of line comments as one block. */
const readComments = (text: string): Block[] => {
  const blocks: (Block & { next?: number })[] = []
  for (const { 0: part, index } of text.matchAll(stringOrComment)) {
    const line = text.slice(0, index).split('\n').length
    if (part.startsWith('/*'))
      blocks.push({ line, text: part.replace(/^\/\*+|\*+\/$/g, '').replace(/^[ \t]*\* ?/gm, '') })
    if (!part.startsWith('//')) continue
    const comment = part.replace(/^\/\/[/!]?/, '')
    const previous = blocks.at(-1)
    if (previous?.next === line)
      Object.assign(previous, { text: `${previous.text}\n${comment}`, next: line + 1 })
    else blocks.push({ line, text: comment, next: line + 1 })
  }
  return blocks
}

/** Blanks code, headings, tables and comments of a document, and keeps the lines. */
const readProse = (text: string): Block => ({
  line: 1,
  text: text.replace(/^```[\s\S]*?^```|^#.*$|^\|.*$|<!--[\s\S]*?-->/gm, part => part.replace(/[^\n]/g, ' ')),
})

/** Reports sentences of comments and documents that start with a bare clause. */
export const sentenceRemarks = (path: string, text: string): Remark[] => {
  const isDocument = path.endsWith('.md')
  if (!isDocument && !/\.(ts|tsx|js|mjs)$/.test(path)) return []
  return (isDocument ? [readProse(text)] : readComments(text)).flatMap(block => {
    const remarks: Remark[] = []
    // A sentence starts the block, or follows the end of a sentence, an empty line or the mark of a list.
    const start = /(?:^\s*|[.!?:]\s+|\n\s*\n\s*|\n\s*(?:[-*]|\d+\.)\s+)(?:[-*]\s+|\d+\.\s+)?(?=[A-Z])/g
    for (const { 0: space, index } of block.text.matchAll(start)) {
      const begin = index + space.length
      const [sentence = ''] = /^[\s\S]*?(?:[.!?:](?=\s)|\n\s*\n|$)/.exec(block.text.slice(begin)) ?? []
      if (!bareOpening.test(sentence.replace(/\s+/g, ' '))) continue
      const line = block.line + block.text.slice(0, begin).split('\n').length - 1
      const words = sentence.trim().split(/\s+/).slice(0, 5).join(' ')
      remarks.push({
        path,
        line,
        message: `"${words} …" opens with a clause: start with the subject and a verb`,
      })
    }
    return remarks
  })
}

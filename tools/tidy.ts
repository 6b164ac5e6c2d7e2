/** Checks the house rules that Biome cannot express (part of `npm run lint`). Each message says what to do instead. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorStatus } from '@querent/contract/errors'
import { errorRemarks, linkRemarks } from './tidy-documents.ts'
import { crumbRemarks, folderRemarks, listArrows, type Source } from './tidy-graph.ts'
import { importRemarks, type Remark } from './tidy-imports.ts'
import { declarationRemarks, sentenceRemarks } from './tidy-language.ts'
import { circleRemarks } from './tidy-rust.ts'
import {
  environmentRemarks,
  hookRemarks,
  lengthRemarks,
  nameRemarks,
  swallowRemarks,
  waitRemarks,
  wordRemarks,
} from './tidy-text.ts'

const root = join(import.meta.dirname, '..')
const errorTable = 'docs/errors.md'
const exists = (path: string) => existsSync(join(root, path))

/** Tracked files, and new files that are not ignored. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter(path => path !== '' && exists(path))

const isText = (path: string) => !/\.(png|jpg|webp|ico|woff2|node|gz|zip)$/.test(path)

const remarks: Remark[] = exists(errorTable)
  ? errorRemarks(errorTable, readFileSync(join(root, errorTable), 'utf8'), errorStatus)
  : [{ path: errorTable, line: 1, message: 'the table of errors is missing: write it' }]
const sources: Source[] = []
for (const path of files) {
  remarks.push(...nameRemarks(path))
  if (!isText(path)) continue
  const text = readFileSync(join(root, path), 'utf8')
  remarks.push(...lengthRemarks(path, text), ...wordRemarks(path, text), ...sentenceRemarks(path, text))
  if (/\.tsx?$/.test(path)) {
    sources.push({ path, text })
    remarks.push(
      ...importRemarks(path, text),
      ...environmentRemarks(path, text),
      ...hookRemarks(path, text),
      ...waitRemarks(path, text),
      ...swallowRemarks(path, text),
      ...declarationRemarks(path, text),
    )
  }
  if (path.endsWith('.md')) remarks.push(...linkRemarks(path, text, exists))
}

const arrows = listArrows(sources)
remarks.push(...folderRemarks(arrows), ...crumbRemarks(sources, arrows))

const isRust = (path: string) => /^packages\/engine\/src\/.*\.rs$/.test(path)
remarks.push(
  ...circleRemarks(
    files.filter(isRust).map(path => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  ),
)

const warnings = remarks.filter(({ isWarning }) => isWarning).length
for (const { path, line, message, isWarning } of remarks)
  console.error(`${path}:${line}  ${isWarning ? 'warning: ' : ''}${message}`)
console.log(`tidy: ${files.length} files, ${remarks.length - warnings} to fix, ${warnings} warnings`)
process.exitCode = remarks.length === warnings ? 0 : 1

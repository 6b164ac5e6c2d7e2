/** Rules about names, sizes and words of files, checked one file at a time. Pure. */
import { isTest, type Remark } from './tidy-imports.ts'

const kebab = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/
/** Names that other tools or conventions require. */
const customary =
  /^([A-Z]+(_[A-Z]+)?(\.md)?|pull_request_template\.md|Cargo\.(toml|lock)|Dockerfile|Caddyfile|Chart\.yaml|NOTES\.txt|_[a-z]+\.tpl|\d{4}-[a-z-]+\.ts|[a-z0-9_]+\.rs|\[\.\.\.[a-z]+\])$/
const saysNothing = /^(utils?|helpers?|common|managers?|misc)$/

/** Reports bad names in a path. */
export const nameRemarks = (path: string): Remark[] =>
  path.split('/').flatMap(segment => {
    const empty = segment.split(/[-.]/).find(word => saysNothing.test(word))
    if (empty !== undefined)
      return [{ path, line: 1, message: `"${empty}" names no subject: name it after what it is about` }]
    if (kebab.test(segment) || customary.test(segment)) return []
    return [{ path, line: 1, message: `"${segment}": write names in kebab-case` }]
  })

const linesMax = 400
/** A test file is a flat list. */
const testLinesMax = 800

const isCode = (path: string): boolean => /\.(ts|tsx|js|rs|sh)$/.test(path)

/** A reason for the length, as a comment. */
const lengthReason = /^\s*(?:\/\/[/!]?|\*|#) Over \d+ lines: \S/m

/** Warns of a long file that gives no reason for its length. */
export const lengthRemarks = (path: string, text: string): Remark[] => {
  if (!isCode(path)) return []
  const lines = text.split('\n').length - 1
  const max = isTest(path) || path.startsWith('tests/') ? testLinesMax : linesMax
  if (lines <= max || lengthReason.test(text)) return []
  const message = `${lines} lines: move a second subject to a file of its own, or give the reason in a comment "Over ${max} lines: …"`
  return [{ path, line: max + 1, message, isWarning: true }]
}

/** Split in two parts, so that this file passes its own check. */
const words = {
  later: new RegExp(`\\b(${'TO'}${'DO'}|${'FIX'}${'ME'})\\b(?!\\([^)]+\\))`),
  machinePath: new RegExp(`(^|[\\s"'\`(=:])/(${'wo'}${'rk'}|${'ro'}${'ot'})/`),
  registry: new RegExp(`\\b${'regis'}${'try'}\\.(npmjs|yarnpkg|npmmirror)\\.|"resolved": "https?:`),
}

/** Reports forbidden words in the lines of a file. */
export const wordRemarks = (path: string, text: string): Remark[] =>
  text.split('\n').flatMap((content, index) => {
    const line = index + 1
    const remarks: Remark[] = []
    if (isCode(path) && words.later.test(content))
      remarks.push({
        path,
        line,
        message: 'say in brackets behind the word when it is due: "(when …)", or do it now',
      })
    if (words.machinePath.test(content))
      remarks.push({ path, line, message: 'a path of one machine: write it relative to the checkout' })
    if (words.registry.test(content))
      remarks.push({ path, line, message: 'the address of a registry: leave it to the configuration of npm' })
    return remarks
  })

/** Only the server's `main` and the command line may read the environment. */
export const environmentRemarks = (path: string, text: string): Remark[] => {
  const mayRead = !/^packages\/(server|client|contract)\/src\//.test(path) || isTest(path)
  if (mayRead || path === 'packages/server/src/main.ts') return []
  return text.split('\n').flatMap((content, index) => {
    if (!/\bprocess\.env\b/.test(content)) return []
    const message =
      'only main.ts reads the environment: make it a setting in config/settings.ts and take its value as an argument'
    return [{ path, line: index + 1, message }]
  })
}

/** A handler of a rejection that does nothing. */
const swallowed = /\.catch\(\(\) => (?:\{\}|undefined)\)/

/** Reports failures that nobody hears, unless a comment on the line or above it gives the reason. */
export const swallowRemarks = (path: string, text: string): Remark[] => {
  if (!/^packages\/[^/]+\/src\//.test(path) || isTest(path)) return []
  const lines = text.split('\n')
  return lines.flatMap((content, index) => {
    const hasReason = /(?:^|\s)(?:\/\/|\/?\*\*?) /
    if (!swallowed.test(content) || hasReason.test(content) || hasReason.test(lines[index - 1] ?? ''))
      return []
    const message =
      'this failure is heard by nobody: say in a comment why that is right, or report it (memory/work-reports.ts)'
    return [{ path, line: index + 1, message }]
  })
}

/** Promises of a time, and a wait of a browser. Timers that make a stand-in slow are no waits. */
const fixedWait =
  /\bsetTimeout\b[^}\n]*\} from 'node:timers\/promises'|Promise(?:<\w+>)?\(\w+ =>\s*\{?\s*setTimeout\(|\.waitForTimeout\(/g

/** Reports fixed waits of tests. In tests/faults, times without a part are the subject. */
export const waitRemarks = (path: string, text: string): Remark[] => {
  const mayWait = /\/test-wait\.ts$|^tests\/faults\/|^tools\//.test(path)
  if (mayWait || !(isTest(path) || path.startsWith('tests/'))) return []
  return [...text.matchAll(fixedWait)].map(({ index }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    message:
      'a fixed wait is too short on a slow machine: wait for a condition, with waitUntil of #server/test-wait',
  }))
}

/** Hooks at the top level of a unit test run before and after the tests of every file that shares its process. */
export const hookRemarks = (path: string, text: string): Remark[] => {
  if (!/^packages\/.*\.test\.ts$/.test(path)) return []
  return text.split('\n').flatMap((content, index) => {
    if (!/^(beforeEach|afterEach)\(/.test(content)) return []
    const message = 'unit tests share a process: put the hook and its tests into a describe()'
    return [{ path, line: index + 1, message }]
  })
}

import type { Check, Inspection, Refusal } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, option } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { type AccountOptions, connect } from '#connection/connect'
import { bold, dim, print } from '#terminal/output'
import { readAll } from '#terminal/stdin'

interface Options extends Globals, AccountOptions {
  workspace?: string
  api?: string
}

/** What `X-Request-Id` says: no token looks like it. */
const requestIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The same bound as the management API's. */
const tokenBytesMax = 16 * 1024

export const inspect = (): Command =>
  define(
    'inspect',
    'Decode an access token and say why a request with it is or is not let through, or why a request was refused.',
    'querent token inspect TOKEN --workspace dictionary --api dictionary',
    'querent token inspect 0b9d6a52-3c8e-4f3a-9a56-1d1f6d1c2f10',
    'querent token | querent token inspect -',
  )
    .argument('<token>', 'the access token, or the requestId of a refused request; - for standard input')
    .addOption(option('--workspace <workspace>', 'as for a request to this workspace'))
    .addOption(option('--api <api>', 'as for a request to this API'))
    .action(async (given: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      if (options.api !== undefined && options.workspace === undefined)
        throw new UsageError('--api needs --workspace: an API is one of a workspace')
      const token =
        given === '-'
          ? (await readAll(process.stdin, tokenBytesMax, 'token on standard input')).trim()
          : given
      const { management } = await connect(options, options)
      const { workspace, api } = options
      if (requestIdPattern.test(token)) {
        const refusal = await management.call('getRefusal', { params: { requestId: token } })
        print(options, { json: refusal, text: reportRefusal(refusal) })
        return
      }
      const found = await management.call('inspectToken', {
        input: { token, ...(workspace ? { workspace } : {}), ...(api ? { api } : {}) },
      })
      print(options, { json: found, text: report(found, options) })
    })

const signs = new Map([
  [true, '✓'],
  [false, '✗'],
  [null, '·'],
])

/** Header, claims, and each check with what was expected and found. */
const report = (
  { allowed, header, claims, checks }: Inspection,
  asked: Pick<Options, 'workspace' | 'api'>,
): string =>
  [
    bold('Header'),
    indented(header),
    bold('Claims'),
    indented(claims),
    ...checkLines(checks),
    '',
    allowed ? letThrough(checks, asked) : 'A request with this token is refused.',
  ].join('\n')

/** No more than what was looked at. */
const letThrough = (
  checks: readonly Check[],
  { workspace, api }: Pick<Options, 'workspace' | 'api'>,
): string => {
  if (workspace !== undefined)
    return `A request with this token to ${workspace}${api === undefined ? '' : `/${api}`} is let through.`
  const open = checks.filter(({ passed }) => passed === null).map(({ name }) => name)
  return `The token itself is good; not looked at: ${open.join(', ')}. Whether a request is let through is said with --workspace.`
}

/** What was asked, by whom, and each check. */
const reportRefusal = ({ checks, ...request }: Refusal): string =>
  [bold('Request'), indented(request), ...checkLines(checks)].join('\n')

const checkLines = (checks: readonly Check[]): string[] => [
  bold('Checks'),
  ...checks.flatMap(({ name, passed, message, expected, found }) => [
    `  ${signs.get(passed)} ${name}: ${message}`,
    ...(passed === false && expected !== undefined ? [`      expected ${expected}`] : []),
    ...(passed === false && found !== undefined ? [`      found    ${found}`] : []),
  ]),
]

const indented = (part: Record<string, unknown> | null): string => {
  if (part === null) return `  ${dim('(cannot be decoded)')}`
  return Object.entries(part)
    .map(
      ([name, value]) =>
        `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}${inWords(name, value)}`,
    )
    .join('\n')
}

/** Times in tokens are seconds since 1970 (RFC 7519, section 2). */
const inWords = (name: string, value: unknown): string =>
  ['exp', 'iat', 'nbf', 'auth_time'].includes(name) && typeof value === 'number'
    ? dim(`  ${new Date(value * 1000).toISOString()}`)
    : ''

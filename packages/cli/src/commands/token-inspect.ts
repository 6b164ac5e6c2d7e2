import type { Check, Inspection, Refusal } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { type AccountOptions, connect } from '#connection/connect'
import { bold, dim, print } from '#terminal/output'
import { readAll } from '#terminal/stdin'

interface Options extends Globals, AccountOptions {
  workspace?: string
  api?: string
}

/** The format of `X-Request-Id`. No token has this format. */
const requestIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The same bound as the management API's. */
const tokenBytesMax = 16 * 1024

export const inspect = (): Command =>
  defineCommand(
    'inspect',
    'Decode an access token and explain why the server accepts or rejects a request with it, or why it rejected an earlier request.',
    'querent token inspect TOKEN --workspace dictionary --api dictionary',
    'querent token inspect 0b9d6a52-3c8e-4f3a-9a56-1d1f6d1c2f10',
    'querent token | querent token inspect -',
  )
    .argument('<token>', 'access token, or requestId of a rejected request (-: standard input)')
    .addOption(option('--workspace <workspace>', 'check a request to this workspace'))
    .addOption(option('--api <api>', 'check a request to this API'))
    .action(async (argument: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      if (options.api !== undefined && options.workspace === undefined)
        throw new UsageError('--api needs --workspace: an API belongs to a workspace')
      const token =
        argument === '-'
          ? (await readAll(process.stdin, tokenBytesMax, 'token on standard input')).trim()
          : argument
      const { management } = await connect(options, options)
      const { workspace, api } = options
      if (requestIdPattern.test(token)) {
        const refusal = await management.call('getRefusal', { params: { requestId: token } })
        print(options, { json: refusal, text: formatRefusal(refusal) })
        return
      }
      const inspection = await management.call('inspectToken', {
        input: { token, ...(workspace ? { workspace } : {}), ...(api ? { api } : {}) },
      })
      print(options, { json: inspection, text: formatInspection(inspection, options) })
    })

const signs = new Map([
  [true, '✓'],
  [false, '✗'],
  [null, '·'],
])

/** Formats header, claims, and each check with its expected and actual value. */
const formatInspection = (
  { allowed, header, claims, checks }: Inspection,
  target: Pick<Options, 'workspace' | 'api'>,
): string =>
  [
    bold('Header'),
    indent(header),
    bold('Claims'),
    indent(claims),
    ...checkLines(checks),
    '',
    allowed ? describeAllowed(checks, target) : 'The server rejects a request with this token.',
  ].join('\n')

/** Claims no more than the checks that ran. */
const describeAllowed = (
  checks: readonly Check[],
  { workspace, api }: Pick<Options, 'workspace' | 'api'>,
): string => {
  if (workspace !== undefined)
    return `The server accepts a request with this token to ${workspace}${api === undefined ? '' : `/${api}`}.`
  const open = checks.filter(({ passed }) => passed === null).map(({ name }) => name)
  return `The token itself is valid; not checked: ${open.join(', ')}. To check a request, add --workspace.`
}

/** Formats the request, its caller, and each check. */
const formatRefusal = ({ checks, ...request }: Refusal): string =>
  [bold('Request'), indent(request), ...checkLines(checks)].join('\n')

const checkLines = (checks: readonly Check[]): string[] => [
  bold('Checks'),
  ...checks.flatMap(({ name, passed, message, expected, found: actual }) => [
    `  ${signs.get(passed)} ${name}: ${message}`,
    ...(passed === false && expected !== undefined ? [`      expected ${expected}`] : []),
    ...(passed === false && actual !== undefined ? [`      found    ${actual}`] : []),
  ]),
]

const indent = (part: Record<string, unknown> | null): string => {
  if (part === null) return `  ${dim('(cannot be decoded)')}`
  return Object.entries(part)
    .map(
      ([name, value]) =>
        `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}${readableTime(name, value)}`,
    )
    .join('\n')
}

/** Times in tokens are seconds since 1970 (RFC 7519, section 2). */
const readableTime = (name: string, value: unknown): string =>
  ['exp', 'iat', 'nbf', 'auth_time'].includes(name) && typeof value === 'number'
    ? dim(`  ${new Date(value * 1000).toISOString()}`)
    : ''

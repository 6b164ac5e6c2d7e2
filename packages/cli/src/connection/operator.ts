import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError, defaultData, howToStart } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'

export interface Addresses {
  authUrl: string
  baseUrl: string
}
/** What a running server writes into its data folder, with mode 0600: where it is, and an operator's credential. */
export interface Operator extends Addresses {
  clientId: string
  clientSecret: string
}

/** The server of the data folder takes no commands. */
export class NoOperatorError extends CommandError {}

/**
 * Reads `operator.json` of the data folder. Throws {@link CommandError} that says what to start, {@link NoOperatorError} for a server
 * that only answers queries.
 */
export const readOperator = async (globals: Globals): Promise<Operator> => {
  const found = await readAddresses(globals)
  if (isOperator(found)) return found
  throw new NoOperatorError(
    `the server on ${globals.data ?? defaultData} only answers queries: run this on a machine of the authorization server ${found.authUrl}, with --data`,
  )
}

/** The same of any server, with or without a credential. */
export const readAddresses = async (globals: Globals): Promise<Addresses> => {
  const folder = globals.data ?? defaultData
  const file = join(folder, 'operator.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ENOENT') throw error
    if (existsSync(folder))
      throw new CommandError(`no server is running on ${folder}: ${howToStart(globals)}`)
    throw new CommandError(
      `there is no data folder ${folder}: name another with --data, or make it with \`querent init --data ${quoteArgument(folder)} --admin EMAIL\``,
    )
  }
  const found: unknown = parsed(text)
  if (hasTexts(found, ['authUrl', 'baseUrl'])) return found
  throw new CommandError(
    `${file} is damaged: restart the server, which writes it anew (${howToStart(globals)})`,
  )
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOperator = (found: Addresses): found is Operator => hasTexts(found, ['clientId', 'clientSecret'])

const hasTexts = <Name extends string>(
  found: unknown,
  names: readonly Name[],
): found is Record<Name, string> =>
  typeof found === 'object' &&
  found !== null &&
  names.every(name => typeof Object.entries(found).find(([key]) => key === name)?.[1] === 'string')

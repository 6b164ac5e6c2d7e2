import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError, defaultData, howToStart } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'

/** What a running server writes into its data folder, with mode 0600: where it is, and an operator's credential. */
export interface Operator {
  authUrl: string
  baseUrl: string
  clientId: string
  clientSecret: string
}

/** Reads `operator.json` of the data folder. Throws {@link CommandError} that says what to start. */
export const readOperator = async (globals: Globals): Promise<Operator> => {
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
  if (isOperator(found)) return found
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

const isOperator = (found: unknown): found is Operator =>
  typeof found === 'object' &&
  found !== null &&
  ['authUrl', 'baseUrl', 'clientId', 'clientSecret'].every(
    name => typeof Object.entries(found).find(([key]) => key === name)?.[1] === 'string',
  )

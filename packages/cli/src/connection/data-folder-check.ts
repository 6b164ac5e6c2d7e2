/** Checks a data folder without a server, by file metadata only. */
import { join } from 'node:path'
import type { HealthCheck } from '@querent/contract/manage'
import { CommandError, defaultData, startAdvice } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { statIfPresent } from './stat.ts'

/** Checks that the folder exists, that only its owner can read its key, and that a server is running on it. */
export const checkDataFolder = async (globals: Globals, hasServer: boolean): Promise<HealthCheck[]> => {
  const data = globals.data ?? defaultData
  const fail = (message: string, advice: string): HealthCheck => ({
    name: 'data',
    state: 'fail',
    message,
    advice,
  })
  const key = await statIfPresent(join(data, 'key')).catch((error: unknown) => {
    if (error instanceof CommandError) return error
    throw error
  })
  if (key instanceof CommandError)
    return [
      fail(
        `this account may not read ${data}, so nothing else was checked`,
        'run it as the account that runs the server: sudo -u ACCOUNT querent doctor …',
      ),
    ]
  if (!(await statIfPresent(data))?.isDirectory())
    return [
      fail(
        `there is no data folder ${data}`,
        `choose another with --data, or create it with \`querent init --data ${quoteArgument(data)} --admin EMAIL\``,
      ),
    ]
  const checks: HealthCheck[] = []
  if (!key && !process.env.QUERENT_KEY && !hasServer)
    checks.push(
      fail(
        `${data} has no key`,
        'restore the file `key`, or start the server with its QUERENT_KEY; without the key, it cannot sign tokens',
      ),
    )
  else if (key && (key.mode & 0o077) !== 0)
    checks.push(
      fail(`other accounts can read ${join(data, 'key')}`, `chmod 600 ${quoteArgument(join(data, 'key'))}`),
    )
  else
    checks.push({
      name: 'data',
      state: 'ok',
      message: key
        ? `${data} exists, and only its owner can read its key`
        : `${data} exists; its key is stored elsewhere`,
    })
  if (!hasServer)
    checks.push({
      name: 'server',
      state: 'fail',
      message: `no server is running on ${data}: only the folder was checked`,
      advice: startAdvice(globals),
    })
  return checks
}

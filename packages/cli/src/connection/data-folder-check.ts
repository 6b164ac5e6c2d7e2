/** What can be seen of a data folder without a server. Nothing in it is read. */
import { join } from 'node:path'
import type { HealthCheck } from '@querent/contract/manage'
import { CommandError, defaultData, howToStart } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { lookAt } from './stat.ts'

/** Whether it is there, is for its owner alone, and has a server that runs. */
export const checkDataFolder = async (globals: Globals, isServed: boolean): Promise<HealthCheck[]> => {
  const data = globals.data ?? defaultData
  const fail = (message: string, advice: string): HealthCheck => ({
    name: 'data',
    state: 'fail',
    message,
    advice,
  })
  const key = await lookAt(join(data, 'key')).catch((error: unknown) => {
    if (error instanceof CommandError) return error
    throw error
  })
  if (key instanceof CommandError)
    return [
      fail(
        `this account may not read ${data}, so nothing else was looked at`,
        'run it as the account that runs the server: sudo -u ACCOUNT querent doctor …',
      ),
    ]
  if (!(await lookAt(data))?.isDirectory())
    return [
      fail(
        `there is no data folder ${data}`,
        `name another with --data, or make it with \`querent init --data ${quoteArgument(data)} --admin EMAIL\``,
      ),
    ]
  const checks: HealthCheck[] = []
  if (!key && !process.env.QUERENT_KEY && !isServed)
    checks.push(
      fail(
        `${data} has no key`,
        'put back the file `key`, or start the server with the QUERENT_KEY that it had; without it no token is signed',
      ),
    )
  else if (key && (key.mode & 0o077) !== 0)
    checks.push(
      fail(`${join(data, 'key')} can be read by others`, `chmod 600 ${quoteArgument(join(data, 'key'))}`),
    )
  else
    checks.push({
      name: 'data',
      state: 'ok',
      message: key
        ? `${data} is there, and its key is for its owner alone`
        : `${data} is there; its key is not kept in it`,
    })
  if (!isServed)
    checks.push({
      name: 'server',
      state: 'fail',
      message: `no server is running on ${data}: only the folder was looked at`,
      advice: howToStart(globals),
    })
  return checks
}

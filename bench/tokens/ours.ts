/** Our server: `querent init` and `querent serve` on a new data folder, with accounts created through the management API. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientCredentials, managementAudience } from '@querent/client'
import { managementApi } from '@querent/client/manage'
import { type Account, makeDataFolder, querent, serve } from '#bench/http/querent'
import { type Contender, tokenRequest } from './contender.ts'

const workspace = 'bench'
const warmSeconds = 5
/** Accounts that are created concurrently. */
const makingMax = 8

export const startOurs = async (clients: number): Promise<Contender> => {
  const { data, remove } = await makeDataFolder()
  const { authUrl, baseUrl, stop } = await serve(data)
  await querent(['apply', '-', '--data', data], `workspace: ${workspace}`)
  const accounts = await makeAccounts(data, workspace, clients)
  return {
    name: 'Querent',
    url: authUrl,
    issuer: `${authUrl}/`,
    jwksUrl: `${authUrl}/.well-known/jwks.json`,
    requests: accounts.map(account => tokenRequest('/oauth/token', account, { audience: `${baseUrl}/` })),
    warmSeconds,
    async [Symbol.asyncDispose]() {
      await stop()
      await remove()
    },
  }
}

/** Creates System-to-System accounts with the role `api`, through the management API of the server on the folder. */
export const makeAccounts = async (data: string, workspace: string, count: number): Promise<Account[]> => {
  // A running server writes this file for the command line.
  const operator: Account & { authUrl: string } = JSON.parse(
    await readFile(join(data, 'operator.json'), 'utf8'),
  )
  const audience = managementAudience(operator.authUrl)
  const management = managementApi({ ...operator, token: clientCredentials({ ...operator, audience }) })
  const accounts: Account[] = []
  const make = async () => {
    for (let number = next++; number < count; number = next++) {
      const { clientId, clientSecret = '' } = await management.call('createSystemToSystem', {
        params: { workspace },
        input: { name: `account ${number}`, roles: ['api'] },
      })
      accounts.push({ clientId, clientSecret })
    }
  }
  let next = 0
  await Promise.all(Array.from({ length: makingMax }, make))
  return accounts
}

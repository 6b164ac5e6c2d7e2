/** Searches as a System-to-System account, with @querent/client. `CLIENT_ID=… CLIENT_SECRET=… npx node examples/node/search.ts large feline` */
import { clientCredentials, isQuerentError, queryApi } from '@querent/client'

const {
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID: clientId = '',
  CLIENT_SECRET: clientSecret = '',
  WORKSPACE = 'dictionary',
  API = 'dictionary',
} = process.env

/** Collections choose the names of their fields: takes a title or name, or else the first field. */
const readTitle = (attributes: Record<string, unknown> = {}): unknown => {
  const names = Object.keys(attributes)
  const name = names.find(field => /^(title|name|label)$/i.test(field)) ?? names[0]
  return name === undefined ? undefined : attributes[name]
}

const token = clientCredentials({ authUrl: AUTH_URL, clientId, clientSecret, audience: BASE_URL })
const api = queryApi({ baseUrl: BASE_URL, token }, WORKSPACE, API)

try {
  const { items } = await api
    .query('search', { query: process.argv.slice(2).join(' ') })
    .results({ count: 10 })
  for (const { rank, tuple } of items) process.stdout.write(`${rank} ${readTitle(tuple[0]?.attributes)}\n`)
} catch (error) {
  if (!isQuerentError(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

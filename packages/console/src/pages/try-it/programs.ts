/** Whole programs that send a query, to copy and run. */
import type { QueryOptions } from '@querent/client'
import { queryUrl } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import { authUrl, baseUrl } from '#api/addresses.ts'

/** How a program gets its access token: from a System-to-System account in its environment, as the text itself, or not at all (public). */
export type ProgramToken = 'account' | 'none' | { token: string }

export interface ProgramQuery {
  workspace: string
  api: string
  stack: StackedEndpoint[]
  options: QueryOptions
  token: ProgramToken
}

export type ProgramLanguage = 'curl' | 'TypeScript' | 'Python' | 'SDK'

/** By the name of the language. Each prints the results as JSON. */
export const writePrograms = (query: ProgramQuery): Record<ProgramLanguage, string> => {
  const { workspace, api, stack, options, token } = query
  const url = queryUrl(baseUrl, workspace, api, { kind: 'query', type: 'results', stack }, options)
  return {
    curl: joinParts(curlToken(token), curlQuery(url, token)),
    TypeScript: joinParts(typeScriptToken(token), typeScriptQuery(url, token)),
    Python: joinParts(
      'import json, os, urllib.parse, urllib.request',
      pythonToken(token),
      pythonQuery(url, token),
    ),
    SDK: sdkProgram(query),
  }
}

const joinParts = (...parts: string[]): string => parts.filter(part => part !== '').join('\n\n')

/** For a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** A literal of JavaScript with single quotes. */
const scriptQuoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const curlToken = (token: ProgramToken): string => {
  if (token === 'none') return ''
  if (token !== 'account') return `ACCESS_TOKEN=${shellQuoted(token.token)}`
  return `# CLIENT_ID and CLIENT_SECRET are those of a System-to-System account.
ACCESS_TOKEN=$(curl -sf ${shellQuoted(`${authUrl}/oauth/token`)} -d grant_type=client_credentials \\
  -d audience=${shellQuoted(baseUrl)} -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" | jq -r .access_token)`
}

const curlQuery = (url: string, token: ProgramToken): string =>
  token === 'none'
    ? `curl -s ${shellQuoted(url)}`
    : `curl -s -H "Authorization: Bearer $ACCESS_TOKEN" \\\n  ${shellQuoted(url)}`

const typeScriptToken = (token: ProgramToken): string => {
  if (token === 'none') return ''
  if (token !== 'account') return `const accessToken = ${scriptQuoted(token.token)}`
  return `// CLIENT_ID and CLIENT_SECRET are those of a System-to-System account.
const { CLIENT_ID = '', CLIENT_SECRET = '' } = process.env
const tokenReply = await fetch(${scriptQuoted(`${authUrl}/oauth/token`)}, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    audience: ${scriptQuoted(baseUrl)},
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  }),
})
if (!tokenReply.ok) throw new Error(await tokenReply.text())
const { access_token: accessToken } = await tokenReply.json()`
}

const typeScriptQuery = (url: string, token: ProgramToken): string => `const reply = await fetch(
  ${scriptQuoted(url)},${token === 'none' ? '' : `\n  { headers: { Authorization: \`Bearer \${accessToken}\` } },`}
)
if (!reply.ok) throw new Error(await reply.text())
const { items } = await reply.json()
console.log(JSON.stringify(items, null, 2))`

const pythonToken = (token: ProgramToken): string => {
  if (token === 'none') return ''
  // A literal of JSON is one of Python too.
  if (token !== 'account') return `access_token = ${JSON.stringify(token.token)}`
  return `# CLIENT_ID and CLIENT_SECRET are those of a System-to-System account.
credentials = {
    "grant_type": "client_credentials",
    "audience": ${JSON.stringify(baseUrl)},
    "client_id": os.environ["CLIENT_ID"],
    "client_secret": os.environ["CLIENT_SECRET"],
}
form = urllib.parse.urlencode(credentials).encode()
with urllib.request.urlopen(${JSON.stringify(`${authUrl}/oauth/token`)}, form) as reply:
    access_token = json.load(reply)["access_token"]`
}

const pythonQuery = (url: string, token: ProgramToken): string => `request = urllib.request.Request(
    ${JSON.stringify(url)},${token === 'none' ? '' : '\n    headers={"Authorization": f"Bearer {access_token}"},'}
)
with urllib.request.urlopen(request) as reply:
    items = json.load(reply)["items"]
print(json.dumps(items, indent=2))`

const sdkToken = (token: ProgramToken): string => {
  if (token === 'none') return ''
  if (token !== 'account') return `\n  token: async () => ${scriptQuoted(token.token)},`
  return `
  token: clientCredentials({
    authUrl: ${scriptQuoted(authUrl)},
    audience: ${scriptQuoted(baseUrl)},
    // Those of a System-to-System account.
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
  }),`
}

const sdkProgram = ({ workspace, api, stack, options, token }: ProgramQuery): string => {
  const imports = token === 'account' ? 'clientCredentials, queryApi' : 'queryApi'
  return `import { ${imports} } from '@querent/client'

const service = {
  baseUrl: ${scriptQuoted(baseUrl)},${sdkToken(token)}
}
const api = queryApi(service, ${scriptQuoted(workspace)}, ${scriptQuoted(api)})
const { items } = await api.results(
  [
${stack.map(step => `    ${writeSdkStep(step)},`).join('\n')}
  ],
  ${writeObject(options)},
)
console.log(JSON.stringify(items, null, 2))`
}

const writeSdkStep = ({ endpoint, parameters }: StackedEndpoint): string =>
  `{ endpoint: ${scriptQuoted(endpoint)}, parameters: [${parameters
    .map(({ name, value }) => `{ name: ${scriptQuoted(name)}, value: ${scriptQuoted(value)} }`)
    .join(', ')}] }`

const writeObject = (options: QueryOptions): string => {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  const literals = entries.map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? scriptQuoted(value) : String(value)}`,
  )
  return `{ ${literals.join(', ')} }`
}

/** Serves this folder and its library, like any web server. `AUTH_URL=… npx node examples/single-page/serve.ts` */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const {
  PORT = '5173',
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID = '',
  WORKSPACE = 'dictionary',
  API = 'dictionary',
} = process.env

const file = (name: string): string => join(import.meta.dirname, name)
const library = (name: string): string => fileURLToPath(import.meta.resolve(name))

const script = 'text/javascript; charset=utf-8'
const page = ['text/html; charset=utf-8', file('index.html')] as const
const files: Readonly<Record<string, readonly [type: string, path: string]>> = {
  '/': page,
  '/callback': page,
  '/app.js': [script, file('app.js')],
  '/oidc-client-ts.js': [script, library('oidc-client-ts')],
  '/jwt-decode.js': [script, library('jwt-decode')],
}

const server = createServer(async (request, response) => {
  const [path = '/'] = (request.url ?? '/').split('?')
  const file = files[path]
  // Nobody else should see the code in the URL (RFC 9700, section 4.2.4).
  response.setHeader('referrer-policy', 'no-referrer')
  if (path === '/settings.json') {
    const settings = {
      authUrl: AUTH_URL,
      baseUrl: BASE_URL,
      clientId: CLIENT_ID,
      workspace: WORKSPACE,
      api: API,
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(settings))
  } else if (file) response.setHeader('content-type', file[0]).end(await readFile(file[1]))
  else response.writeHead(404).end()
})
server.listen(Number(PORT), 'localhost', () => process.stdout.write(`http://localhost:${PORT}\n`))

/** For tests: an https host with Client ID Metadata Documents, on this machine and with a certificate of its own. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A certificate for `localhost` and `names`, which is its own authority. */
const makeCertificate = async (names: readonly string[]): Promise<{ key: string; cert: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-documents-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const alternativeNames = ['localhost', ...names].map(name => `DNS:${name}`).join(',')
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', cert, '-subj', '/CN=documents of a test'],
    ...['-addext', `subjectAltName=${alternativeNames},IP:127.0.0.1`],
  ])
  const pair = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  await rm(folder, { recursive: true })
  return pair
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Answers with `body` as JSON, as most hosts do. */
export const sendDocument =
  (body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** `names`: more names in its certificate. Its `origin` is on `localhost`. */
export const openTestDocuments = async (names: readonly string[] = []) => {
  const { key, cert } = await makeCertificate(names)
  const answers = new Map<string, Answer>()
  const requests: string[] = []
  const http = createServer({ key, cert }, (request, response) => {
    requests.push(request.url ?? '')
    const answer = answers.get(request.url ?? '')
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  const { port } = http.address() as AddressInfo
  const origin = `https://localhost:${port}`
  return {
    origin,
    port,
    ca: cert,
    /** Paths of the requests that it received. */
    requests,
    answer(path: string, answer: Answer) {
      answers.set(path, answer)
    },
    /** Publishes the document of a public client and returns its URL. */
    publish(path: string, change: Record<string, unknown> = {}): string {
      const url = `${origin}${path}`
      this.answer(
        path,
        sendDocument({
          client_id: url,
          client_name: 'Agent',
          redirect_uris: ['https://agent.example/callback'],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'none',
          ...change,
        }),
      )
      return url
    },
    async close() {
      await new Promise(resolve => {
        http.close(resolve)
        http.closeAllConnections()
      })
    },
  }
}

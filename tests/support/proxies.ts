/** Proxies with TLS from docs/deploy.md, started with the exact text of the page on ports of the test. curl sends the requests. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitUntil } from '#server/test-wait'

const root = join(import.meta.dirname, '..', '..')
export const searchHost = 'search.example.org'
export const loginHost = 'login.example.org'

/** Returns a block of docs/deploy.md by its language. Throws if there is none. */
export const readDocumentedConfiguration = async (language: string): Promise<string> => {
  const text = await readFile(join(root, 'docs', 'deploy.md'), 'utf8')
  const [, block] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? []
  if (block === undefined) throw new Error(`docs/deploy.md has no block of ${language}`)
  return block
}
export const deployFile = (path: string): Promise<string> => readFile(join(root, 'deploy', path), 'utf8')

/** Creates a certificate for both names in `folder`: `certificate.pem`, `key.pem`, and both in `both.pem`. */
export const makeCertificate = async (folder: string): Promise<void> => {
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'certificate.pem')
  const names = `subjectAltName=DNS:${searchHost},DNS:${loginHost}`
  const keyArguments = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const certificateArguments = [
    '-subj',
    '/CN=Querent test',
    '-addext',
    names,
    '-keyout',
    key,
    '-out',
    certificate,
  ]
  await promisify(execFile)('openssl', ['req', '-x509', ...keyArguments, ...certificateArguments])
  await writeFile(
    join(folder, 'both.pem'),
    (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')),
  )
  // Caddy may run as another user.
  await chmod(key, 0o600)
}

/** Replaces the machine-specific parts of a configuration. Every text on the left must occur in it. */
export type Replacements = Readonly<Record<string, string>>

export const applyReplacements = (text: string, replacements: Replacements): string =>
  Object.entries(replacements).reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`the configuration has no ${JSON.stringify(from)}`)
    // An address must not match the start of one with a longer port.
    return done.split(from).reduce((before, rest) => `${before}${/^\d/.test(rest) ? from : to}${rest}`)
  }, text)

export interface ProxyLocation {
  /** An empty folder for files of the proxy, next to the certificate of {@link makeCertificate}. */
  folder: string
  certificates: string
  /** Its port on 127.0.0.1. */
  port: number
  /** The replacement for port 80, if the proxy opens it without configuration. Default: 80. */
  plainPort?: number
  query: number
  authorization: number
}

export interface ProxyKind {
  name: string
  /** Writes its files and returns its command line. `text` is the configuration to run, or that of the docs. */
  prepare(
    place: ProxyLocation,
    text?: string,
  ): Promise<{ command: string; args: string[]; env?: Record<string, string> }>
}

const nginx: ProxyKind = {
  name: 'nginx',
  async prepare({ folder, certificates, port, query, authorization }, text) {
    const configuration = applyReplacements(text ?? (await readDocumentedConfiguration('nginx')), {
      '127.0.0.1:4000': `127.0.0.1:${query}`,
      '127.0.0.1:4001': `127.0.0.1:${authorization}`,
      'listen 443 ': `listen 127.0.0.1:${port} `,
      'listen [::]:443 ': `listen unix:${folder}/socket `,
      '/etc/letsencrypt/live/example.org/fullchain.pem': join(certificates, 'certificate.pem'),
      '/etc/letsencrypt/live/example.org/privkey.pem': join(certificates, 'key.pem'),
    })
    await writeFile(join(folder, 'querent.conf'), configuration)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map(purpose => `${purpose}_temp_path ${folder}/${purpose};`)
      .join('\n')
    // Stands in for the nginx.conf of the package, which includes the file.
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${temporary}\naccess_log off;\ninclude ${folder}/querent.conf;\n}\n`,
    )
    return { command: 'nginx', args: ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')] }
  },
}

const haproxy: ProxyKind = {
  name: 'HAProxy',
  async prepare({ folder, certificates, port, query, authorization }, text) {
    const configuration = applyReplacements(text ?? (await readDocumentedConfiguration('haproxy')), {
      '127.0.0.1:4000': `127.0.0.1:${query}`,
      '127.0.0.1:4001': `127.0.0.1:${authorization}`,
      ':::443 v4v6': `127.0.0.1:${port}`,
      '/etc/haproxy/certificates/': join(certificates, 'both.pem'),
    })
    await writeFile(join(folder, 'haproxy.cfg'), configuration)
    return { command: 'haproxy', args: ['-db', '-f', join(folder, 'haproxy.cfg')] }
  },
}

const caddy: ProxyKind = {
  name: 'Caddy',
  async prepare({ folder, certificates, port, plainPort = 80, query, authorization }, text) {
    const options = 'auto_https disable_redirects'
    const configuration = applyReplacements(text ?? (await readDocumentedConfiguration('caddyfile')), {
      [options]: `${options}\n\tadmin off\n\thttps_port ${port}\n\thttp_port ${plainPort}`,
      '127.0.0.1:4000': `127.0.0.1:${query}`,
      '127.0.0.1:4001': `127.0.0.1:${authorization}`,
    })
    // Caddy fetches certificates by itself. Here it gets one.
    const tlsDirective = `tls ${join(certificates, 'certificate.pem')} ${join(certificates, 'key.pem')}`
    const sites = configuration.replace(
      /^(\S+\.example\.org) \{$/gm,
      `$1 {\n\tbind 127.0.0.1\n\t${tlsDirective}`,
    )
    await writeFile(join(folder, 'Caddyfile'), sites)
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
    return { command: 'caddy', args: ['run', '--config', join(folder, 'Caddyfile')], env }
  },
}

export const proxyKinds: readonly ProxyKind[] = [nginx, haproxy, caddy]

/** Returns whether something listens on a port of 127.0.0.1. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Debian installs some of them outside the PATH of normal users. */
const path = `${process.env.PATH}:/usr/sbin:/sbin`

/** Starts a proxy. Resolves when it listens. Throws with its output if it exits instead. */
export const startProxy = async (
  kind: ProxyKind,
  place: ProxyLocation,
  text?: string,
): Promise<{ stop(): Promise<void> }> => {
  const { command, args, env } = await kind.prepare(place, text)
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += chunk))
  const exited = once(child, 'exit')
  let hasExited = false
  exited.then(
    () => (hasExited = true),
    () => (hasExited = true),
  )
  await waitUntil(() => {
    if (hasExited) throw new Error(`${kind.name} ended: ${output}`)
    return isListening(place.port)
  })
  return {
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

export interface Reply {
  status: number
  /** `1.1` or `2`. */
  version: string
  headers: Headers
  body: Buffer
}

export interface CurlOptions {
  /** `--http1.1` or `--http2`. Default: HTTP/2. */
  version?: '1.1' | '2'
  /** Additional arguments of curl. */
  args?: readonly string[]
  /** A stream for its standard input (`--data-binary @-`, `-T -`). */
  feed?: (write: (text: string) => void) => Promise<void>
  /** Receives all output so far, including headers, whenever more arrives. */
  onOutput?: (text: string) => void
  /** Ends curl and its connection. */
  signal?: AbortSignal
}

/** The last head in curl's output (a 100 may come first), and the body. */
const readReply = (bytes: Buffer): Reply => {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, version = '', status = ''] = /^HTTP\/(\S+) (\d{3})/.exec(first) ?? []
  const rest = bytes.subarray(end + 4)
  if (status.startsWith('1')) return readReply(rest)
  const headers = new Headers()
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
  return { status: Number(status), version, headers, body: rest }
}

/** Sends a request to one of the two names at the proxy's port. curl does not normalize `url`. */
export const askProxy = async (
  { port, certificates }: Pick<ProxyLocation, 'port' | 'certificates'>,
  url: string,
  { version = '2', args = [], feed, onOutput, signal }: CurlOptions = {},
): Promise<Reply> => {
  const trustArguments = [
    '--cacert',
    join(certificates, 'certificate.pem'),
    '--connect-to',
    `::127.0.0.1:${port}`,
  ]
  const child = spawn(
    'curl',
    ['-sS', '-i', `--http${version}`, '--path-as-is', '--globoff', ...trustArguments, ...args, url],
    {
      ...(signal ? { signal } : {}),
    },
  )
  const outputChunks: Buffer[] = []
  let errors = ''
  child.stdout.on('data', chunk => {
    outputChunks.push(chunk)
    onOutput?.(Buffer.concat(outputChunks).toString())
  })
  child.stderr.on('data', chunk => (errors += chunk))
  // The server may reply before curl has sent everything.
  child.stdin.on('error', () => {})
  const closed = once(child, 'close')
  try {
    await feed?.(text => child.stdin.write(text))
  } finally {
    child.stdin.end()
  }
  const [code] = await closed
  if (code !== 0) throw new Error(`curl ended with ${code}: ${errors}`)
  return readReply(Buffer.concat(outputChunks))
}

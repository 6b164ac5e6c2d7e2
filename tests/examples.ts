/** Starts the applications of `examples/` as their READMEs say. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { StartedServer } from './started-server.ts'

const root = join(import.meta.dirname, '..')

/** One that nothing listened on a moment ago: applications are registered before they start. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, 'localhost')
  await once(probe, 'listening')
  // A TCP server has an address of this form once it listens.
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

export interface Example {
  /** The first line of what it prints from now on that matches. */
  line(pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

/** Starts `examples/{file}` for the workspace and API of `makeLibrary`, with more of its environment. */
export const startExample = async (
  { authUrl, baseUrl }: StartedServer,
  file: string,
  environment: Record<string, string>,
): Promise<Example> => {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'examples', file)], {
    env: {
      ...process.env,
      AUTH_URL: authUrl,
      BASE_URL: baseUrl,
      WORKSPACE: 'library',
      API: 'library',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let failed = ''
  const waiting = new Set<() => void>()
  child.stdout?.on('data', chunk => {
    printed += chunk
    for (const look of waiting) look()
  })
  child.stderr?.on('data', chunk => {
    failed += chunk
  })
  const ended = once(child, 'exit')
  return {
    line: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = printed
            .split('\n')
            .slice(0, -1)
            .find(line => pattern.test(line))
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void ended.then(([code]) => reject(new Error(`${file} ended with ${code}: ${failed}`)))
      }),
    async stop() {
      child.kill()
      await ended
    },
  }
}

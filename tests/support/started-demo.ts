/** `querent demo` as a newcomer runs it, on free ports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { launcher } from './command-line.ts'

interface DemoAddresses {
  baseUrl: string
  authUrl: string
  searchPage: string
  clientSecret: string
}

export interface StartedDemo extends DemoAddresses {
  stop(): Promise<void>
}

/** Starts the demo with its data below `folder`, and waits until everything is ready. */
export const startDemo = async (folder: string): Promise<StartedDemo> => {
  const args = ['demo', '--port', '0', '--auth-port', '0', '--json']
  const child = spawn(launcher, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  return {
    ...(await readAddresses(child)),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const stopped = once(child, 'exit')
      child.kill()
      await stopped
    },
  }
}

/** Returns the one JSON value that the demo prints when it is ready. */
const readAddresses = (child: ChildProcess): Promise<DemoAddresses> =>
  new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', chunk => {
      output += chunk
      // The demo's only line.
      if (output.includes('\n')) resolve(JSON.parse(output) as DemoAddresses)
    })
    child.once('exit', code => reject(new Error(`querent demo ended with ${code}`)))
  })

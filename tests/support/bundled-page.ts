/** Serves a page with one script that esbuild bundles, at `localhost`, which is another site than the server's 127.0.0.1. */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

export const root = join(import.meta.dirname, '..', '..')

export interface BundledPage {
  url: string
  close(): Promise<void>
}

/** Bundles a program as a page's build would. `folder`: where it resolves packages. */
export const bundleProgram = async (
  code: string,
  { loader = 'tsx' as 'tsx' | 'js', folder = root, plugins = [] as Plugin[] } = {},
): Promise<Uint8Array> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder, loader },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
    plugins,
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/** Every path is the same page. `code` is bundled once the address is known. */
export const serveBundledPage = async (
  code: (url: string) => Promise<string> | string,
  { html = '<main id="root">Page</main>', ...options }: { html?: string; loader?: 'tsx' | 'js' } = {},
): Promise<BundledPage> => {
  let script: Uint8Array = new Uint8Array()
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">${html}<script type="module" src="/script.js"></script></html>`
  const server = createServer((request, response) => {
    const isScript = request.url === '/script.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, 'localhost', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://localhost:${address.port}`
  script = await bundleProgram(await code(url), options)
  return {
    url,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

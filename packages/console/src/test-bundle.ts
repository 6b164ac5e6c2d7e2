/**
 * For tests: the console's sources as one program, which each page load evaluates again, as in a browser. It is bundled once for the
 * process, because importing its 350 modules takes most of a page load. Packages stay modules of their own, which are evaluated once.
 */
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const entry = fileURLToPath(new URL('./test-mount.tsx', import.meta.url))

/** Whether an import stays outside of the program. The sources of the client belong to it. */
const isPackage = (specifier: string): boolean =>
  /^[^.#/]/.test(specifier) && !/^@querent\/client(\/|$)|\.json$/.test(specifier)

const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === 'entry-point') return
      // Nothing here reads a style sheet.
      if (path.endsWith('.css')) return { path: 'data:text/javascript,', external: true }
      return isPackage(path) ? { path, external: true } : undefined
    })
  },
}

const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'node22',
    jsx: 'automatic',
    // Requests of a page go through the hooks of test-dom.ts.
    define: { fetch: 'browserFetch' },
    plugins: [packages],
  })
  return outputFiles[0]?.text ?? ''
}

interface Program {
  mount(): { unmount(): void }
  listAddresses(): string[]
}
let source: Promise<string> | undefined
let loadCount = 0

/** Evaluates the program, and returns what test-mount.tsx exports. */
export const loadConsole = async (): Promise<Program> => {
  source ??= bundle()
  const program = { format: 'module' as const, source: await source, shortCircuit: true }
  const address = `${pathToFileURL(entry)}?load=${++loadCount}`
  // Beside the sources, so that it finds the same packages.
  const hook = registerHooks({
    load: (url, context, nextLoad) => (url === address ? program : nextLoad(url, context)),
  })
  try {
    return (await import(address)) as Program
  } finally {
    hook.deregister()
  }
}

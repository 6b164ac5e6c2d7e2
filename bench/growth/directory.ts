/** Memory of the directory for a growing number of lookups, up to its bound and beyond. */
import { join } from 'node:path'
import type { Figure } from '#bench/figure'
import { makeDataFolder } from '#bench/http/querent'
import type { DirectoryTask, Looked, LookedUp } from './directory-process.ts'
import { addTo, type Growing } from './points.ts'
import { runStep } from './step.ts'

const script = 'directory-process.ts'
const sizesUsual = [10_000, 50_000, 100_000, 200_000]
export const kinds: LookedUp[] = [
  'memberships',
  'memberships, row filter of 20 values',
  'people',
  'accounts',
  'tokens not revoked',
  'workspaces, an API each',
  'unknown workspaces, long addresses',
]

export const directoryGrowth = async ({ say, sizes = sizesUsual }: Growing): Promise<Figure[]> => {
  const figures: Figure[] = []
  const { data, remove } = await makeDataFolder()
  try {
    const file = join(data, 'querent.db')
    const fill: DirectoryTask = { file, do: 'fill', rows: Math.max(...sizes) }
    await runStep('fill', script, fill)
    for (const kind of kinds) {
      say(kind)
      const look: DirectoryTask = { file, do: 'look', kind, sizes }
      const { heap, anonymous } = await runStep<Looked>('measure', script, look)
      for (const [index, size] of sizes.entries()) {
        const add = addTo(figures, size)
        add(kind, 'MB', [heap[index] ?? Number.NaN])
        add(`${kind}: the process grew by`, 'MB', [anonymous[index] ?? Number.NaN])
      }
    }
  } finally {
    await remove()
  }
  return figures
}

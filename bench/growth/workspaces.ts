/** Ten to ten thousand workspaces on one server: what a start takes, and what each holds while it is open. */
import { type Figure, figureOf } from '#bench/figure'
import { makeDataFolder } from '#bench/http/querent'
import type { Say } from '#bench/http/rounds'
import type { ServedFound, ServedTask } from './served-process.ts'
import { runStep } from './step.ts'
import type { WorkspacesTask } from './workspaces-process.ts'

const sizesUsual = [10, 100, 1_000, 10_000]
const starts = 3

export const workspacesGrowth = async ({
  say,
  sizes = sizesUsual,
}: {
  say: Say
  sizes?: number[]
}): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const collections of [false, true]) {
    const { data, remove } = await makeDataFolder()
    const where = collections ? 'a collection each' : 'no collections'
    try {
      let from = 0
      for (const to of sizes) {
        say(`${to.toLocaleString('en-US')} workspaces, ${where}`)
        const add = (what: string, unit: string, values: readonly number[]) => {
          const of = `${what} (${where})`
          const name = `${of}, ${to.toLocaleString('en-US')}`
          figures.push(figureOf(values, { name, unit, better: 'lower', point: { of, at: to } }))
        }
        await runStep('fill', 'workspaces-process.ts', {
          data,
          from,
          to,
          collections,
        } satisfies WorkspacesTask)
        const started = (rounds: number) =>
          runStep<ServedFound>('measure', 'served-process.ts', {
            data,
            workspace: 'bench-0',
            rounds,
            ask: false,
          } satisfies ServedTask)
        const first = await started(1)
        if (collections) {
          add('first start, which makes the new collections', 'ms', first.readyMs)
        }
        const again = await started(starts)
        add('start', 'ms', again.readyMs)
        add('start, processor', 'ms', again.startProcessorMs)
        add('memory after it', 'MB', again.megabytes)
        add('threads', '', [again.memory.threads])
        add('open files', '', [again.memory.descriptors])
        add('mapped regions', '', [again.memory.maps])
        from = to
      }
    } catch (error) {
      // How far it goes is what is asked.
      say(`${where}: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      await remove()
    }
  }
  return figures
}

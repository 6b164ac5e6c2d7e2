import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { useCollection } from './collection-context.ts'
import { Generations } from './generations.tsx'

/** The stored generations of the collection. */
export const GenerationsTab = () => {
  const { workspace, summary, upload } = useCollection()
  const params = { workspace, collection: summary.collection }
  const { data } = useSuspenseQuery(readOperation('listGenerations', { params }))
  /** The result of an import no longer describes the live generation. */
  const forgetOutcome = () => {
    if (!upload.underway) upload.clear()
  }
  return <Generations {...params} generations={data.items} onSwitched={forgetOutcome} />
}

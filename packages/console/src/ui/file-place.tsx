import { useParams } from '@tanstack/react-router'
import { FaultPlace } from './fault-place.tsx'

/** A place of the file of the open workspace, for notes that know no workspace. */
export const FilePlace = ({ path }: { path: string }) => {
  const { workspace = '' } = useParams({ strict: false })
  return <FaultPlace workspace={workspace} path={path} />
}

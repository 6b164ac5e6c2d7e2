import type { ErrorPlace } from '@querent/contract/errors'
import { Places } from './edit-error.tsx'

interface WarningsProps {
  workspace: string
  warnings: readonly ErrorPlace[]
}

/** The warnings of a dry run, each with its place in words. */
export const Warnings = ({ workspace, warnings }: WarningsProps) =>
  warnings.length > 0 && <Places workspace={workspace} places={warnings} />

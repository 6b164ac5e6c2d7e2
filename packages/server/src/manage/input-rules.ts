/** Rules that schemas cannot express. The workspace file has the same rules, so its reader checks them. */
import { clientFaults } from '@querent/contract/client-faults'
import type { RowFilter, WorkspaceSettings } from '@querent/contract/manage'
import type { Definition, WorkspaceFile } from '@querent/contract/workspace-file'
import { publicKeyFaults } from '#keys/public-keys'
import type { PublicKeys } from '#storage/clients'
import { badInput, makeFaultsProblem } from './validation-problem.ts'

const part = 'it'

/** Throws 400 for fields or values that no collection of the workspace can filter by. */
export const refuseBadFilter = (definition: Definition, filter: RowFilter | null | undefined): void => {
  if (filter) refuseFaults({ ...definition, members: { [part]: { roles: ['api'], filter } } })
}

/** Throws 400 for anything but IP addresses and CIDR ranges. */
export const refuseBadAddresses = (addresses: string[] | undefined): void => {
  if (addresses) refuseFaults({ workspace: part, systemToSystem: { [part]: { roles: ['api'], addresses } } })
}

/** Throws 400 for redirect URIs, logout URIs and origins not allowed for the type of application. */
export const refuseBadApplication = (
  application: NonNullable<WorkspaceFile['applications']>[string],
  nativeSchemes: readonly string[],
): void => refuseFaults({ workspace: part, applications: { [part]: application } }, nativeSchemes)

/** Throws 400 for invalid lifetimes and origins. */
export const refuseBadSettings = (settings: Partial<WorkspaceSettings>): void => {
  const faults = [...clientFaults({ workspace: part, settings }, [])]
  const problem = makeFaultsProblem(
    'body',
    faults.map(fault => ({ ...fault, path: fault.path.slice(1) })),
  )
  if (problem) throw problem
}

/** Throws 400 for the first key that is private, or cannot verify an assertion. */
export const refuseBadKeys = (keys: PublicKeys | undefined): void => {
  const [fault] = publicKeyFaults(keys)
  if (fault) throw badInput(fault.path, fault.message)
}

const refuseFaults = (file: WorkspaceFile, nativeSchemes: readonly string[] = []): void => {
  // Paths start with section and name of the part; in the body, the part stands alone.
  const faults = [...clientFaults(file, nativeSchemes)]
    .filter(({ path }) => path[1] === part)
    .map(fault => ({ ...fault, path: fault.path.slice(2) }))
  const problem = makeFaultsProblem('body', faults)
  if (problem) throw problem
}

/** Checks the metadata of a workspace's own OpenID provider before the file that names it is applied. */
import { describeFault } from '@querent/contract/fault-texts'
import type { Definition } from '@querent/contract/workspace-file'
import type { ManagementDependencies } from './call.ts'
import type { FullWorkspace } from './changes.ts'
import { WorkspaceFileRefusal } from './workspace-file-reader.ts'
import type { FileFinding } from './workspace-file-tasks.ts'

/**
 * Fetches the metadata of an issuer that is new or changed. Throws 400 if they show that the issuer is wrong. A provider that does not answer is
 * only a warning: files are also applied on servers without a way out, and before a provider runs.
 */
export const issuerWarnings = async (
  { checkIssuer }: Pick<ManagementDependencies, 'checkIssuer'>,
  current: Definition | undefined,
  { definition }: FullWorkspace,
): Promise<FileFinding[]> => {
  const issuer = definition.identityProvider?.issuer
  if (issuer === undefined || issuer === current?.identityProvider?.issuer) return []
  const fault = await checkIssuer(issuer)
  if (!fault) return []
  const { kind, ...values } = fault
  const finding = { path: ['identityProvider', 'issuer'], ...describeFault(`issuer-${kind}`, values) }
  if (kind === 'unreachable') return [finding]
  throw new WorkspaceFileRefusal('bad-workspace-file', [finding])
}

/** Operations that may use the reserve of a full disk (docs/operate.md, Full disk): they take access away, or save data. */
import type { Operation, OperationId } from '@querent/contract/manage'

const otherThanDeletions: ReadonlySet<string> = new Set<OperationId>([
  'makeBackup',
  'downloadBackup',
  'rotateKeys',
  'withdrawKey',
  'updateUser',
  'updateSystemToSystem',
  'setMember',
  'resetPassword',
  'changePassword',
  'deleteMe',
])

export const isEssentialOperation = ({ id, method }: Pick<Operation, 'id' | 'method'>): boolean =>
  method === 'DELETE' || otherThanDeletions.has(id)

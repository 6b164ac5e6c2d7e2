/** The state of the workspace file that an edited text started from. A call with it does not undo what others saved since. */
import { ApiError } from '@querent/client'
import { management } from './manage.ts'

export interface FileBase {
  source: string
  /** The tag from the reply of `exportWorkspaceFile`. */
  tag: string
}

/** Somebody else has changed the file since. Nothing was applied. */
export class FileChanged extends Error {
  readonly current: FileBase
  constructor(current: FileBase) {
    super('the workspace file has changed')
    this.current = current
  }
}

/** Calls with the tag of `base`. Throws FileChanged if the text of the file is another one now. */
export const callWithBase = async <T>(
  workspace: string,
  base: FileBase,
  call: (tag: string) => Promise<T>,
): Promise<T> => {
  try {
    return await call(base.tag)
  } catch (fault) {
    if (!(fault instanceof ApiError) || fault.code !== 'conflict' || fault.errors.length > 0) throw fault
    const current = await management.call('exportWorkspaceFile', { params: { workspace } })
    if (current.source !== base.source) throw new FileChanged(current)
    // Only something that the text does not show is new.
    return call(current.tag)
  }
}

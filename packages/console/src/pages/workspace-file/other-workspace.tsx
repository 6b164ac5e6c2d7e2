import { Text } from '@mantine/core'
import type { ApplyReply } from '@querent/contract/manage'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { saveDraft } from './draft-transfer.ts'

interface OtherWorkspaceProps {
  /** The one that is open. */
  workspace: string
  text: string
  /** What applying would do; undefined: it is not asked for. */
  planned: ApplyReply | undefined
  onClose: () => void
}

/** Says that the file is of another workspace than the open one, before anything is changed there. */
export const OtherWorkspace = ({ workspace, text, planned, onClose }: OtherWorkspaceProps) => {
  const navigate = useNavigate()
  const fileWorkspace = planned?.workspace ?? ''
  const open = () => {
    saveDraft(fileWorkspace, text)
    // Nothing is lost: the text goes along.
    const ignoreBlocker = true
    return planned?.created
      ? navigate({ to: '/workspaces', ignoreBlocker })
      : navigate({
          to: '/w/$workspace/settings/workspace-file',
          params: { workspace: fileWorkspace },
          ignoreBlocker,
        })
  }
  return (
    <ConfirmDialog
      isOpen={planned !== undefined}
      onClose={onClose}
      question="The file names another workspace"
      label={planned?.created ? 'Go to Workspaces' : `Open ${fileWorkspace}`}
      color="querent"
      onConfirm={open}
    >
      <Text>
        It is a file of {fileWorkspace}, and {workspace} is open. Nothing was changed in either.
      </Text>
      <Text mt="xs">
        {planned?.created
          ? `There is no workspace ${fileWorkspace} yet. Make it under Workspaces; its workspace file then begins with this text.`
          : `Opening ${fileWorkspace} takes the text along, to be applied there. To apply it to ${workspace}, change its first line.`}
      </Text>
    </ConfirmDialog>
  )
}

/** The workspace that a file names, as far as it can be seen without reading it as YAML. */
export const scanName = (text: string): string | undefined =>
  /^(?:\{\s*)?["']?workspace["']?\s*:\s*["']?([a-z0-9-]+)/m.exec(text)?.[1]

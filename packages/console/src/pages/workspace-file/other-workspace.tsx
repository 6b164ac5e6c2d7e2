import { Text } from '@mantine/core'
import type { ApplyReply } from '@querent/contract/manage'
import { useNavigate } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { saveDraft } from './draft-transfer.ts'

interface OtherWorkspaceProps {
  /** The open workspace. */
  workspace: string
  text: string
  /** Reply of the dry run; undefined hides the dialog. */
  planned: ApplyReply | undefined
  onClose: () => void
}

/** Warns that the file names another workspace than the open one, before it changes anything. */
export const OtherWorkspace = ({ workspace, text, planned, onClose }: OtherWorkspaceProps) => {
  const navigate = useNavigate()
  const fileWorkspace = planned?.workspace ?? ''
  const open = () => {
    saveDraft(fileWorkspace, text)
    // The draft keeps the text, so nothing is lost.
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
      question={t('The file names another workspace')}
      label={planned?.created ? t('Go to Workspaces') : t('Open {fileWorkspace}', { fileWorkspace })}
      color="querent"
      onConfirm={open}
    >
      <Text>
        {t('The file describes {fileWorkspace}, but {workspace} is open. Nothing was changed.', {
          fileWorkspace,
          workspace,
        })}
      </Text>
      <Text mt="xs">
        {planned?.created
          ? t(
              'The workspace {fileWorkspace} does not exist yet. Create it under Workspaces; its workspace file then starts with this text.',
              { fileWorkspace },
            )
          : t(
              'Opening {fileWorkspace} keeps the text, so that you can apply it there. To apply it to {workspace}, change its first line.',
              { fileWorkspace, workspace },
            )}
      </Text>
    </ConfirmDialog>
  )
}

/** Returns the workspace that a file names, without parsing the YAML. */
export const scanName = (text: string): string | undefined =>
  /^(?:\{\s*)?["']?workspace["']?\s*:\s*["']?([a-z0-9-]+)/m.exec(text)?.[1]

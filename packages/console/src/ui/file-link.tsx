import type { Path } from '@querent/contract/workspace-source'
import { t } from '#i18n/translate.ts'
import { TextLink } from './links.tsx'

interface FileLinkProps {
  workspace: string
  /** Keys from the root of the file. */
  path: Path
}

/** Opens the editor of the workspace file at a place. */
export const FileLink = ({ workspace, path }: FileLinkProps) => (
  <TextLink
    to="/w/$workspace/settings/workspace-file"
    params={{ workspace }}
    search={{ at: [...path] }}
    fz="sm"
  >
    {t('Show in the workspace file')}
  </TextLink>
)

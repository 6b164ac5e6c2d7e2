import { Alert, Text } from '@mantine/core'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import { useQuery } from '@tanstack/react-query'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { listTypeUses, Users } from '#ui/edit-error.tsx'

interface TypeUsesProps {
  workspace: string
  /** Name of the field. */
  name: string
  type: string
  /** The edits of the form, as it would save them. */
  edits: readonly WorkspaceEdit[]
}

/** Says as soon as a type is chosen which endpoints, rules and filters need the old one. */
export const TypeUses = ({ workspace, name, type, edits }: TypeUsesProps) => {
  const { content, plan } = useWorkspaceFileEdit(workspace)
  const { data: uses = [] } = useQuery({
    queryKey: ['typeUses', workspace, content?.source, JSON.stringify(edits)],
    // The other errors are those of the form, which saving shows.
    queryFn: () =>
      plan(edits).then(
        () => [],
        (refusal: unknown) => listTypeUses(refusal, name),
      ),
    enabled: content !== undefined,
    retry: false,
    gcTime: 0,
  })
  return (
    <div role="status">
      {uses.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          title={t('{name} cannot have the type {type} yet', { name, type })}
        >
          <Text size="sm">{t('These need its present type. Change or delete them first:')}</Text>
          <Users workspace={workspace} places={uses} />
        </Alert>
      )}
    </div>
  )
}

import { Group, Paper, Stack, Title } from '@mantine/core'
import type { Proposal } from '@querent/contract/proposal'
import { useQuery } from '@tanstack/react-query'
import { listDocuments } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { TextLink } from '#ui/links.tsx'
import { FirstDocuments } from './first-documents.tsx'

const documentsShown = 6

interface ImportedDocumentsProps {
  workspace: string
  proposal: Proposal
}

/** The first documents of the new collection, as a search shows them, and the way to all of them. */
export const ImportedDocuments = ({
  workspace,
  proposal: { collection, fields },
}: ImportedDocumentsProps) => {
  const { data } = useQuery({
    queryKey: ['documents', workspace, collection, 'imported'],
    queryFn: () => listDocuments(workspace, collection, { search: '', where: {} }, undefined, documentsShown),
  })
  if (!data || data.items.length === 0) return null
  return (
    <Paper withBorder p="md" mt="sm">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('The first documents')}
          </Title>
          <TextLink to="/w/$workspace/data/$collection" params={{ workspace, collection }}>
            {t('See all {total} documents', { total: data.total })}
          </TextLink>
        </Group>
        <FirstDocuments sample={data.items} fields={fields.filter(({ use }) => use)} count={documentsShown} />
      </Stack>
    </Paper>
  )
}

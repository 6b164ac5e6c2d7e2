/** Lists who can read a document, and explains why a member can or cannot. For administrators. */
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { DocumentReader } from '@querent/contract/manage'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { DocumentSight, sightSources } from '#ui/document-sight.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Loading } from '#ui/loading.tsx'

interface DocumentReadersProps {
  workspace: string
  collection: string
  id: string
}

export const DocumentReaders = ({ workspace, collection, id }: DocumentReadersProps) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['listDocumentReaders', workspace, collection, id],
    queryFn: ({ pageParam }) =>
      management.call('listDocumentReaders', {
        params: { workspace, collection },
        query: { id, count: 20, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  const readers = data.pages.flatMap(({ items }) => items)
  const [first] = data.pages
  const groups = (first?.groups ?? []).filter(({ sees }) => sees)
  return (
    <Stack gap="sm">
      <Title order={3} size="h5" tabIndex={-1}>
        {t('Who can read this?')}
      </Title>
      {first?.public === true && <Text size="sm">{t('Everybody: a public API shows it.')}</Text>}
      {groups.length > 0 && (
        <Text size="sm">
          {t('Groups: {groups}', {
            groups: groups.map(({ group, title }) => title ?? group).join(', '),
          })}
        </Text>
      )}
      {readers.length > 0 && (
        <DataTable
          caption={t('Who can read this?')}
          rows={readers}
          rowKey={({ email, clientId, name }) => email ?? clientId ?? name}
          columns={[
            { heading: t('Member'), cell: ({ email, name }) => (email ? displayEmail(email) : name) },
            { heading: t('Through'), cell: describeReader },
          ]}
        />
      )}
      {readers.length === 0 && !hasNextPage && <Text size="sm">{t('No member can read it.')}</Text>}
      {hasNextPage && (
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            loading={isFetchingNextPage}
            onClick={() => fetchNextPage()}
          >
            {t('Show more')}
          </Button>
        </Group>
      )}
      <ExplainAccess workspace={workspace} collection={collection} id={id} />
    </Stack>
  )
}

const describeReader = ({ through, groups, namedAs }: DocumentReader): string =>
  [
    ...through.map(source =>
      source === 'group' ? t('groups: {groups}', { groups: groups.join(', ') }) : sightSources[source],
    ),
    ...(namedAs === undefined ? [] : [t('named as {name}', { name: namedAs })]),
  ].join('; ')

/** Says for one member which checks pass, and what each filter asks of the document. */
const ExplainAccess = ({ workspace, collection, id }: DocumentReadersProps) => {
  const [member, setMember] = useState('')
  const explanation = useMutation({
    mutationFn: () =>
      management.call('explainDocumentAccess', {
        params: { workspace, collection },
        query: { id, member: member.trim() },
      }),
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (member.trim() !== '') explanation.mutate()
  }
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('Why can somebody read it, or not?')}
            placeholder={t('E-mail address or Client ID')}
            flex={1}
            miw={220}
            spellCheck={false}
            autoComplete="off"
            value={member}
            onChange={event => setMember(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={explanation.isPending}>
            {t('Explain')}
          </Button>
        </Group>
        {explanation.error && <ErrorNote error={explanation.error} />}
        <div role="status">{explanation.data && <DocumentSight access={explanation.data} />}</div>
      </Stack>
    </form>
  )
}

/** The APIs of a workspace and their endpoints; each leads to where it is tried. */
import { Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { EndpointKind } from '@querent/contract/endpoint-traits'
import { writeStack } from '@querent/contract/paths'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { readTitle } from '#api/standard-titles.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { DefinitionLinks } from '#pages/api-definition/definition-links.tsx'
import { kinds } from '#pages/api-definition/kinds.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'

const ApiDialog = lazy(async () => ({
  default: (await import('#pages/api-definition/api-dialog.tsx')).ApiDialog,
}))

export const Apis = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/apis' })
  const { may } = useWorkspaceAccess(workspace)
  const { data } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  return (
    <Page
      title={t('APIs')}
      description={t('Applications query APIs. Choose an endpoint to try it.')}
      action={
        may('edit') && (
          <DialogButton label={t('Create API')}>
            {dialog => (
              <ApiDialog
                {...dialog}
                workspace={workspace}
                api={undefined}
                definition={{}}
                names={data.items.map(({ api }) => api)}
              />
            )}
          </DialogButton>
        )
      }
    >
      {data.items.length === 0 ? (
        <Empty title={t('No APIs yet')}>
          {t('Applications query an API.')}{' '}
          {may('edit')
            ? t('Create one, then add a full-text search to it.')
            : t('An administrator can add one in the workspace file.')}
        </Empty>
      ) : (
        data.items.map(({ api, title, access, endpoints }) => (
          <Paper key={api} withBorder p="lg">
            <Stack gap="md">
              <Group justify="space-between" align="flex-start">
                <Stack gap={2}>
                  <Group gap="xs">
                    <Title order={2} size="h4">
                      {title}
                    </Title>
                    <Badge variant="light" color={access === 'public' ? 'orange' : 'querent'}>
                      {access === 'public' ? t('public') : t('members only')}
                    </Badge>
                  </Group>
                  <Text size="sm" c="dimmed" ff="monospace">
                    {baseUrl}/4/{workspace}/api/{api}
                  </Text>
                </Stack>
                <Group gap="md">
                  <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api }} fw={600}>
                    {t('Try it')}
                  </TextLink>
                  {may('edit') && <DefinitionLinks workspace={workspace} api={api} />}
                </Group>
              </Group>
              {endpoints.length === 0 && <Text size="sm">{t('No endpoints yet.')}</Text>}
              <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs">
                {endpoints.map(({ name, kind, title: endpointTitle }) => (
                  <Stack key={name} gap={0} align="flex-start">
                    <TextLink
                      to="/w/$workspace/apis/$api"
                      params={{ workspace, api }}
                      search={{ stack: writeStack([{ endpoint: name, parameters: [] }]) }}
                    >
                      {readTitle(endpointTitle)}
                    </TextLink>
                    <Text size="sm" c="dimmed">
                      {readLabel(kind)}
                      {endpointTitle !== name && (
                        <>
                          {' · '}
                          <Text span size="xs" ff="monospace">
                            {name}
                          </Text>
                        </>
                      )}
                    </Text>
                  </Stack>
                ))}
              </SimpleGrid>
            </Stack>
          </Paper>
        ))
      )}
    </Page>
  )
}

/** A newer server may have kinds that this console does not know. */
const readLabel = (kind: string): string => (isKind(kind) ? kinds[kind].label : kind)
const isKind = (kind: string): kind is EndpointKind => Object.hasOwn(kinds, kind)

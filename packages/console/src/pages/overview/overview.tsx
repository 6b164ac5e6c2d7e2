/** A workspace's start page: what there is, and what is still to do until an application gets its first answer. */
import { Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { baseUrl } from '#api/addresses.ts'
import { reading } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'

export const Overview = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/' })
  const params = { workspace }
  const { data: workspaces } = useSuspenseQuery(reading('listWorkspaces', {}))
  const { data: apis } = useQuery(reading('listApis', { params }))
  // What one's role does not show stays out of the list.
  const { data: collections } = useQuery(reading('listCollections', { params }))
  const { data: accounts } = useQuery(reading('listSystemToSystem', { params, query: { count: 100 } }))
  const title = workspaces.items.find(item => item.workspace === workspace)?.title ?? workspace
  const [api] = apis?.items ?? []
  const documents = collections?.items.reduce((sum, collection) => sum + (collection.documents ?? 0), 0)
  return (
    <Page title={title} about={`The workspace ${workspace}`}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {collections && (
          <Step isDone={collections.items.length > 0} title="Describe a search">
            {collections.items.length > 0
              ? `${collections.items.map(({ collection }) => collection).join(', ')}: ${documents?.toLocaleString('en')} documents.`
              : 'Collections and endpoints stand in the workspace file, which querent apply reads.'}
          </Step>
        )}
        {collections && collections.items.length > 0 && (
          <Step isDone={(documents ?? 0) > 0} title="Import documents">
            <TextLink to="/w/$workspace/data" params={params}>
              Go to the data
            </TextLink>
          </Step>
        )}
        {api && (
          <Step isDone title="Try it">
            <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: api.api }}>
              Search in {api.title}
            </TextLink>
          </Step>
        )}
        {accounts && (
          <Step isDone={accounts.items.length > 0} title="Give a server access">
            <TextLink to="/w/$workspace/settings/team-members" params={params}>
              {accounts.items.length > 0 ? 'System-to-System accounts' : 'Make a System-to-System account'}
            </TextLink>
          </Step>
        )}
        {accounts && (
          <Step title="Give people access">
            <TextLink to="/w/$workspace/settings/team-members" params={params}>
              Invite team members
            </TextLink>
            , and{' '}
            <TextLink to="/w/$workspace/settings/applications" params={params}>
              register the application
            </TextLink>{' '}
            that they sign in to.
          </Step>
        )}
      </SimpleGrid>
      {api && <CopyValue label="Address of the API" value={`${baseUrl}/4/${workspace}/api/${api.api}`} />}
    </Page>
  )
}

interface StepProps {
  title: string
  isDone?: boolean
  children: ReactNode
}

const Step = ({ title, isDone = false, children }: StepProps) => (
  <Paper withBorder p="md">
    <Group wrap="nowrap" align="flex-start">
      <ThemeIcon
        radius="xl"
        variant={isDone ? 'filled' : 'default'}
        color="green"
        role="img"
        aria-label={isDone ? 'done' : 'to do'}
      >
        {isDone && <IconCheck size={18} />}
      </ThemeIcon>
      <Stack gap={2}>
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text component="div" size="sm">
          {children}
        </Text>
      </Stack>
    </Group>
  </Paper>
)

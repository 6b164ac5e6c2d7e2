/** The overview of a workspace: its content, and the next steps until an application can query it. */
import { Badge, Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconArrowRight, IconCheck } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, type ReactNode } from 'react'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { formatCount } from '#ui/format-count.ts'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'

const CreateSystemToSystemAccount = lazy(async () => ({
  default: (await import('#pages/team-members/create-system-to-system-account.tsx'))
    .CreateSystemToSystemAccount,
}))

export const Overview = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/' })
  const params = { workspace }
  const { may, roles } = useWorkspaceAccess(workspace)
  const { data: workspaces } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: apis } = useQuery({ ...readOperation('listApis', { params }), enabled: may('look') })
  const { data: collections } = useQuery({
    ...readOperation('listCollections', { params }),
    enabled: may('import'),
  })
  const { data: accounts } = useQuery({
    ...readOperation('listSystemToSystem', { params, query: { count: 100 } }),
    enabled: may('administer'),
  })
  const { title = workspace, description = '' } =
    workspaces.items.find(item => item.workspace === workspace) ?? {}
  const [api] = apis?.items ?? []
  const [collection] = collections?.items ?? []
  const documents = collections?.items.reduce((sum, { documents }) => sum + (documents ?? 0), 0)
  return (
    <Page title={title} description={`Workspace ${workspace}. Your role: ${roles.join(', ') || 'operator'}`}>
      {description !== '' && <Text style={{ whiteSpace: 'pre-line' }}>{description}</Text>}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {collections && may('edit') && (
          <Step isDone={collection !== undefined} title="Create a collection">
            {collection && `Collections: ${collections.items.map(item => item.collection).join(', ')}. `}
            <TextLink to="/w/$workspace/settings/workspace-file" params={params}>
              {collection ? 'Edit the workspace file' : 'Write the workspace file'}
            </TextLink>
          </Step>
        )}
        {collections && !may('edit') && (
          <Step title="Import documents">
            {collection ? (
              collections.items.map(item => (
                <div key={item.collection}>
                  <TextLink
                    to="/w/$workspace/data/$collection/import"
                    params={{ workspace, collection: item.collection }}
                  >
                    Import into {item.collection}
                  </TextLink>
                </div>
              ))
            ) : (
              <>No collections yet. An administrator can add one in the workspace file.</>
            )}
          </Step>
        )}
        {collection && may('edit') && (
          <Step isDone={(documents ?? 0) > 0} title="Import documents">
            {documents ? `${formatCount(documents, 'document')}. ` : ''}
            <TextLink
              to="/w/$workspace/data/$collection/import"
              params={{ workspace, collection: collection.collection }}
            >
              {documents ? 'Import more' : 'Import a file'}
            </TextLink>
          </Step>
        )}
        {collection && may('edit') && apis?.items.length === 0 && (
          <Step isDone={false} title="Create an API">
            Applications query it.{' '}
            <TextLink to="/w/$workspace/settings/workspace-file" params={params}>
              Add one to the workspace file
            </TextLink>
          </Step>
        )}
        {api && may('query') && (
          <Step title="Try it">
            <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: api.api }}>
              Query the API “{api.title}”
            </TextLink>
          </Step>
        )}
        {accounts && (
          <Step isDone={accounts.items.length > 0} title="Connect your backend">
            {accounts.items.length > 0 && (
              <div>
                <TextLink to="/w/$workspace/settings/team-members" params={params}>
                  System-to-System accounts
                </TextLink>
              </div>
            )}
            {/* Always mounted: the dialog shows the new Client Secret after the list has refreshed. */}
            <DialogButton
              label="Create System-to-System account"
              variant="default"
              mt={4}
              h="auto"
              mih={36}
              // In two lines on a phone.
              styles={{ label: { whiteSpace: 'normal' } }}
            >
              {dialog => <CreateSystemToSystemAccount {...params} {...dialog} />}
            </DialogButton>
          </Step>
        )}
        {accounts && (
          <Step title="Invite people">
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
      {roles.length > 0 && roles.every(role => role === 'data-provider') && (
        <Text>You can add, replace and delete documents of this workspace by id, but not read them.</Text>
      )}
      {api && <CopyValue label="Address of the API" value={`${baseUrl}/4/${workspace}/api/${api.api}`} />}
    </Page>
  )
}

interface StepProps {
  title: string
  /** Undefined: an optional step. */
  isDone?: boolean
  children: ReactNode
}

/** One step. A frame and a badge mark steps that are not done yet. */
const Step = ({ title, isDone, children }: StepProps) => (
  <Paper
    withBorder
    p="md"
    style={isDone === false ? { borderColor: 'var(--mantine-color-anchor)' } : undefined}
  >
    <Group wrap="nowrap" align="flex-start">
      <ThemeIcon
        radius="xl"
        variant={isDone ? 'filled' : 'default'}
        color="teal.9"
        role="img"
        aria-label={isDone ? 'done' : isDone === undefined ? 'any time' : 'to do'}
      >
        {isDone && <IconCheck size={18} />}
        {isDone === undefined && <IconArrowRight size={18} />}
      </ThemeIcon>
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          {isDone === false && <Badge aria-hidden>to do</Badge>}
        </Group>
        <Text component="div" size="sm">
          {children}
        </Text>
      </Stack>
    </Group>
  </Paper>
)

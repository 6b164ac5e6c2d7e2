import { Stack, Tabs, Text } from '@mantine/core'
import { queryUrl } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import { baseUrl } from '#api/addresses.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { curl, tokenPlaceholder } from '#ui/curl.ts'
import { TextLink } from '#ui/links.tsx'
import { pageSize } from './search.ts'

interface CodeProps {
  workspace: string
  api: string
  stack: StackedEndpoint[]
  config: string | undefined
  offset: number
  /** The member whose view is previewed. */
  previewedMember: string | undefined
}

/** Code for the current query: curl, TypeScript and Python. */
export const Code = ({ workspace, api, stack, config, offset, previewedMember }: CodeProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const address = queryUrl(
    baseUrl,
    workspace,
    api,
    { kind: 'query', type: 'results', stack },
    { config, count: pageSize, ...(offset > 0 ? { offset } : {}), highlight: true },
  )
  const texts = { curl: curl(address), TypeScript: typeScript(address), Python: python(address) }
  return (
    <Stack gap="xs">
      <Tabs defaultValue="curl">
        <Tabs.List aria-label="Code for this query">
          {Object.keys(texts).map(name => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(texts).map(([name, text]) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <CopyValue label={`This query, ${name}`} value={text} block />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text size="sm" c="dimmed">
        Replace {tokenPlaceholder} with an access token. A System-to-System account gets one with its Client
        ID and Client Secret:{' '}
        {may('administer') ? (
          <TextLink to="/w/$workspace/settings/team-members" params={{ workspace }}>
            create one in Team Members
          </TextLink>
        ) : (
          'an administrator can create one in Team Members'
        )}
        .
      </Text>
      {previewedMember !== undefined && (
        <Text size="sm">
          The code does not use the preview of {previewedMember}: results depend on the account of the token.
          Only the console supports previews.
        </Text>
      )}
    </Stack>
  )
}

const typeScript = (address: string): string => `const accessToken = '${tokenPlaceholder}'
const reply = await fetch(
  ${JSON.stringify(address)},
  { headers: { Authorization: \`Bearer \${accessToken}\` } },
)
const { items } = await reply.json()`

const python = (address: string): string => `access_token = "${tokenPlaceholder}"

import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address)},
    headers={"Authorization": f"Bearer {access_token}"},
)
with urllib.request.urlopen(request) as reply:
    items = json.load(reply)["items"]`

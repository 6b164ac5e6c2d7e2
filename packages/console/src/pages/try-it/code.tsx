import { Stack, Tabs, Text } from '@mantine/core'
import { queryAddress } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import { baseUrl } from '#api/addresses.ts'
import { useStanding } from '#api/rights.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { curl, tokenPlace } from '#ui/curl.ts'
import { TextLink } from '#ui/links.tsx'
import { pageSize } from './search.ts'

interface CodeProps {
  workspace: string
  api: string
  stack: StackedEndpoint[]
  config: string | undefined
  offset: number
  /** The member whose view is previewed. */
  as: string | undefined
}

/** The query that is on the screen, for a terminal and for programs. */
export const Code = ({ workspace, api, stack, config, offset, as }: CodeProps) => {
  const { may } = useStanding(workspace)
  const address = queryAddress(
    baseUrl,
    workspace,
    api,
    { kind: 'query', type: 'results', stack },
    { config, count: pageSize, ...(offset > 0 ? { offset } : {}), highlight: true },
  )
  const headers = as === undefined ? {} : { 'Querent-Preview-As': encodeURIComponent(as) }
  const texts = {
    curl: curl(address, headers),
    TypeScript: typeScript(address, headers),
    Python: python(address, headers),
  }
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
        Put an access token in place of {tokenPlace}.{' '}
        {as === undefined
          ? 'A System-to-System account gets one'
          : 'A preview takes the token of an administrator: the token of a System-to-System account with that role'}{' '}
        with its Client ID and Client Secret:{' '}
        {may('administer') ? (
          <TextLink to="/w/$workspace/settings/team-members" params={{ workspace }}>
            make one in Team Members
          </TextLink>
        ) : (
          'an administrator makes one in Team Members'
        )}
        .
      </Text>
    </Stack>
  )
}

/** More headers of an object or a dictionary; both languages read strings of JSON. */
const listed = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join('')

const typeScript = (
  address: string,
  headers: Readonly<Record<string, string>>,
): string => `const accessToken = '${tokenPlace}'
const reply = await fetch(
  ${JSON.stringify(address)},
  { headers: { Authorization: \`Bearer \${accessToken}\`${listed(headers)} } },
)
const { items } = await reply.json()`

const python = (
  address: string,
  headers: Readonly<Record<string, string>>,
): string => `access_token = "${tokenPlace}"

import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address)},
    headers={"Authorization": f"Bearer {access_token}"${listed(headers)}},
)
with urllib.request.urlopen(request) as reply:
    items = json.load(reply)["items"]`

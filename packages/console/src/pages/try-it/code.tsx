import { Tabs } from '@mantine/core'
import { queryAddress } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import { baseUrl } from '#api/addresses.ts'
import { CopyValue } from '#ui/copy-value.tsx'

interface CodeProps {
  workspace: string
  api: string
  stack: StackedEndpoint[]
  config: string | undefined
}

/** The query that is on the screen, for a terminal and for programs. */
export const Code = ({ workspace, api, stack, config }: CodeProps) => {
  const address = queryAddress(
    baseUrl,
    workspace,
    api,
    { kind: 'query', type: 'results', stack },
    { config, count: 10 },
  )
  const texts = { curl: curl(address), TypeScript: typeScript(address), Python: python(address) }
  return (
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
  )
}

/** For a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curl = (address: string): string => `curl -s -H 'Authorization: Bearer <ACCESS_TOKEN>' \\
  ${shellQuoted(address)}`

const typeScript = (address: string): string => `const reply = await fetch(
  ${JSON.stringify(address)},
  { headers: { authorization: \`Bearer \${accessToken}\` } },
)
const { items } = await reply.json()`

const python = (address: string): string => `import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address)},
    headers={"Authorization": f"Bearer {access_token}"},
)
with urllib.request.urlopen(request) as reply:
    items = json.load(reply)["items"]`

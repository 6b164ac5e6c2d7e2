import type { RowFilter } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { reading } from '#api/manage.ts'
import { TextLink } from './links.tsx'
import { inWords } from './row-filter.ts'

interface SeenDocumentsProps {
  workspace: string
  /** E-mail address or Client ID. */
  member: string
  filter: RowFilter | undefined
}

/** Which documents a member sees, in words, and a link that shows them. */
export const SeenDocuments = ({ workspace, member, filter }: SeenDocumentsProps) =>
  filter ? (
    <>
      {inWords(filter)} <Preview workspace={workspace} member={member} />
    </>
  ) : (
    'everything'
  )

/** To "Try it", with the eyes of the member. */
const Preview = ({ workspace, member }: { workspace: string; member: string }) => {
  const { data } = useSuspenseQuery(reading('listApis', { params: { workspace } }))
  const [api] = data.items
  if (!api) return null
  return (
    <TextLink
      to="/w/$workspace/apis/$api"
      params={{ workspace, api: api.api }}
      search={{ as: member }}
      size="sm"
    >
      Preview as this member
    </TextLink>
  )
}

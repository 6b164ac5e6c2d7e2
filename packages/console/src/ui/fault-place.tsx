/** Where a fault of the workspace file is, in words, with a link to the page that shows it. */
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { TextLink } from './links.tsx'

interface FaultPlaceProps {
  workspace: string
  /** Keys from the root of the file, with dots. */
  path: string
}

export const FaultPlace = ({ workspace, path }: FaultPlaceProps) => {
  const [section = '', name = '', part = '', inner = ''] = path.replace(/^workspace\./, '').split('.')
  const params = { workspace }
  if (section === 'apis' && part === 'endpoints' && inner !== '')
    return (
      <TextLink to="/w/$workspace/apis/$api/endpoints" params={{ workspace, api: name }}>
        {t('the endpoint {endpoint} of {name}', { endpoint: inner, name })}
      </TextLink>
    )
  if (section === 'apis' && part === 'curation')
    return (
      <TextLink to="/w/$workspace/apis/$api/curation" params={{ workspace, api: name }}>
        {t('the curation of {name}', { name })}
      </TextLink>
    )
  if (section === 'collections' && part === 'fields' && inner !== '')
    return (
      <TextLink to="/w/$workspace/data/$collection/fields" params={{ workspace, collection: name }}>
        {t('the field {name} of {collection}', { name: inner, collection: name })}
      </TextLink>
    )
  if (section === 'groups')
    return (
      <TextLink to="/w/$workspace/settings/groups" params={params}>
        {t('the group {name}', { name })}
      </TextLink>
    )
  if (section === 'memberDefaults')
    return (
      <TextLink to="/w/$workspace/settings/groups" params={params}>
        {t('the defaults of members')}
      </TextLink>
    )
  if (section === 'members' || section === 'systemToSystem')
    return (
      <TextLink to="/w/$workspace/settings/team-members" params={params}>
        {describeAccount(section, path)}
      </TextLink>
    )
  return describeOther(section, name, path)
}

/** An address has dots of its own. */
const describeAccount = (section: string, path: string): string => {
  const rest = path.slice(path.indexOf(section) + section.length + 1)
  return rest.replace(/\.(?:filter|roles|apis|collections|groups|limits|addresses|until)(?:\..*)?$/, '')
}

const describeOther = (section: string, name: string, path: string): ReactNode => {
  if (section === 'apis' && name !== '') return t('the API {name}', { name })
  if (section === 'collections' && name !== '') return t('the collection {name}', { name })
  if (section === 'configurations' && name !== '') return t('the configuration {name}', { name })
  if (section === 'tests') return t('a relevance test')
  if (section === 'identityProvider') return name === 'issuer' ? t('Issuer') : t('E-mail domains')
  return path
}

/** A name that stands at several places of one thing is shown once. */
export const placeKey = (path: string): string => {
  const keys = path.replace(/^workspace\./, '').split('.')
  return keys.slice(0, keys[0] === 'apis' || keys[0] === 'collections' ? 4 : 2).join('.')
}

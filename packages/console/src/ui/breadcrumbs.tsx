import { useMatches } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'
import { TextLink } from './links.tsx'
import { findEntry } from './navigation.ts'

/** The way back to the page above this one. Empty for a page of the navigation. */
export const Breadcrumbs = ({ title }: { title: string }) => {
  const { path, workspace } = useMatches({
    select: matches => {
      const last = matches.at(-1)
      const params: { workspace?: string } = last?.params ?? {}
      return { path: last?.fullPath ?? '', workspace: params.workspace }
    },
  })
  const parent = findEntry(path)
  if (!parent || workspace === undefined || parent.to === path.replace(/\/$/, '')) return null
  return (
    <nav aria-label={t('Breadcrumb')} className="breadcrumbs">
      <ol>
        <li>
          <TextLink to={parent.to} params={{ workspace }} underline="hover">
            {parent.label}
          </TextLink>
        </li>
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}
